import { bibliography } from "../references/document.ts";
import { parseRis } from "../references/ris.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads RIS: each reference is a section. */
export async function extractRis(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const source = await readText(file, context);
  return bibliography(parseRis(source.text), source, context);
}
