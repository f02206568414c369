import { parseBibtex } from "../references/bibtex.ts";
import { bibliography } from "../references/document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads BibTeX and BibLaTeX: each entry is a section. */
export async function extractBibtex(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const source = await readText(file, context);
  return bibliography(parseBibtex(source.text), source, context);
}
