import { assertExists } from "@std/assert";
import {
  extract,
  type ExtractedText,
  type ExtractionContext,
  type SourceFile,
} from "../../src/extraction/mod.ts";

/** Extracts the text of a file that is not an archive. */
export async function extractDocument(
  file: SourceFile,
  options?: Partial<Omit<ExtractionContext, "name">>,
): Promise<ExtractedText> {
  const extracted = await extract(file, options);
  assertExists(extracted, "the file must have text of its own");
  return extracted;
}
