import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads notes, source code, CSV, JSON, XML and logs as they are. */
export async function extractPlainText(
  file: SourceFile,
  context: ExtractionContext,
): Promise<ExtractedText> {
  const { text, metadata, warnings } = await readText(file, context);
  return {
    docType: "text",
    title: undefined,
    text,
    markup: "plain",
    pageStarts: undefined,
    metadata,
    warnings,
    tags: [],
  };
}
