import { charsetOf, declaredEncoding } from "../encoding.ts";
import { decodeText } from "../decode.ts";
import { noText, unsupported } from "../failures.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import type { ExtractedText, SourceFile } from "../types.ts";

/**
 * Decodes and normalises a file of text.
 *
 * @throws {ExtractionError} `unsupported_type` for bytes that are no text, `too_large`, or `no_text` for white space.
 */
export async function readText(file: SourceFile, name: string): Promise<string> {
  const declared = charsetOf(file.contentType) ?? declaredEncoding(file.bytes);
  const text = await decodeText(file.bytes, declared);
  if (text === undefined) throw unsupported(name, "binary data");
  checkLength(text.length, name);
  const normal = normalizeText(text);
  if (normal.trim() === "") throw noText(name, "it holds only white space", "upload a file with words in it");
  return normal;
}

/** Text as it is: notes, source code, CSV, JSON, XML, logs. */
export async function extractPlainText(file: SourceFile, name: string): Promise<ExtractedText> {
  return {
    docType: "text",
    title: undefined,
    text: await readText(file, name),
    markup: "plain",
    pageStarts: undefined,
    metadata: undefined,
    tags: [],
  };
}
