import { readTextFile } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads notes, source code, CSV, JSON, XML and logs as they are. */
export async function extractPlainText(
  file: SourceFile,
  { name }: ExtractionContext,
): Promise<ExtractedText> {
  return {
    docType: "text",
    title: undefined,
    text: await readTextFile(file, name),
    markup: "plain",
    pageStarts: undefined,
    metadata: undefined,
    tags: [],
  };
}
