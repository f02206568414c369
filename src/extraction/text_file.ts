import { decodeText } from "./encoding/decode.ts";
import { charsetOf, declaredEncoding } from "./encoding/unicode.ts";
import { noText, unsupported } from "./errors.ts";
import { checkLength, normalizeText } from "./normalize.ts";
import type { SourceFile } from "./types.ts";

/**
 * Decodes and normalizes a text file: plain text, Markdown or HTML source.
 *
 * @throws {ExtractionError} `unsupported_type` for binary data, `too_large`, or `no_text` for white space.
 */
export async function readTextFile(file: SourceFile, name: string): Promise<string> {
  const declared = charsetOf(file.contentType) ?? declaredEncoding(file.bytes);
  const decoded = await decodeText(file.bytes, declared);
  if (decoded === undefined) throw unsupported(name, "binary data");
  checkLength(decoded.length, name);
  const text = normalizeText(decoded);
  if (text.trim() === "") throw noText(name, "it holds only white space", "upload a file with words in it");
  return text;
}
