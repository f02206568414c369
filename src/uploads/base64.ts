import { quoteText } from "../text/mod.ts";
import { UploadError } from "./errors.ts";

/**
 * Decodes a chunk (RFC 4648 §4: standard alphabet with padding, and §3.3: no other characters).
 *
 * Strict, because lenient decoders silently turn a truncated or mistyped chunk into other bytes:
 * `Buffer.from` skips unknown characters, `atob` accepts a last character with unused bits, and all of them
 * skip white space.
 *
 * @throws {UploadError} `invalid`, with the position and cause of the error.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  let cause: unknown;
  if (!/[\t\n\f\r ]/.test(text)) {
    try {
      return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
    } catch (error) {
      cause = error;
    }
  }
  throw new UploadError("invalid", `data must be standard base64 with padding: ${diagnose(text)}.`, {
    cause,
  });
}

function diagnose(text: string): string {
  if (/^\s*data:/i.test(text)) {
    return 'it starts with "data:"; send only the part after the comma of a data URL';
  }
  const invalid = /[^A-Za-z0-9+/=]/u.exec(text);
  if (invalid && /\s/.test(invalid[0])) {
    return `character ${invalid.index} is white space; send each chunk on one line`;
  }
  if (invalid && /[-_]/.test(invalid[0])) {
    return `character ${invalid.index} is "${
      invalid[0]
    }", which is base64url; use "+" for "-" and "/" for "_"`;
  }
  if (invalid) return `character ${invalid.index} is ${quoteText(invalid[0])}, which is not base64`;
  const padding = text.indexOf("=");
  if (padding >= 0 && /[^=]/.test(text.slice(padding))) {
    return `"=" at character ${padding} is only allowed at the end; encode the bytes of each chunk in one piece`;
  }
  if (text.length % 4 !== 0) {
    return `its length must be a multiple of 4, got ${text.length} characters; it is truncated, or "=" is ` +
      `missing at the end`;
  }
  if (text.endsWith("===")) return 'it ends with more than two "="';
  return "its last character has unused bits set; it is truncated or was changed";
}
