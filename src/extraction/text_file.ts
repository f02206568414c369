import { charsetOf, declaredEncoding } from "./encoding/declared.ts";
import { decodeText } from "./encoding/decode.ts";
import { noText, unsupported } from "./errors.ts";
import { checkLength, normalizeText } from "./normalize.ts";
import type { ExtractionContext, SourceFile } from "./types.ts";

/** A decoded text file, with what its reader adds to the document. */
export interface TextFile {
  /** Normalized text. */
  readonly text: string;
  /** `encoding` and `encoding_confidence`, if the encoding was guessed. */
  readonly metadata: Record<string, unknown> | undefined;
  /** Doubts about the encoding. */
  readonly warnings: readonly string[];
}

/**
 * Decodes and normalizes a file of a format that is text.
 *
 * @throws {ExtractionError} `unsupported_type` for binary data, `too_large`, or `no_text` for white space.
 */
export async function readText(
  file: SourceFile,
  context: Pick<ExtractionContext, "name" | "maxTextChars">,
): Promise<TextFile> {
  const { name } = context;
  const declared = charsetOf(file.contentType) ?? declaredEncoding(file.bytes);
  const decoded = await decodeText(file.bytes, declared);
  if (decoded === undefined) throw unsupported(name, "binary data");
  checkLength(decoded.text.length, context);
  const text = normalizeText(decoded.text);
  if (text.trim() === "") throw noText(name, "it holds only white space", "upload a file with words in it");
  const { encoding, confidence, warnings } = decoded;
  return {
    text,
    metadata: encoding === undefined ? undefined : { encoding, encoding_confidence: confidence },
    warnings,
  };
}
