import { quoteText } from "../text/mod.ts";
import { UploadError } from "./errors.ts";

/**
 * Decodes a chunk (RFC 4648 §4: standard alphabet with padding; white space is ignored).
 *
 * Strict, because lenient decoders silently turn a truncated or mistyped chunk into other bytes:
 * `Buffer.from` skips unknown characters, `atob` accepts a last character with unused bits.
 *
 * @throws {UploadError} `invalid`, with the position and cause of the error.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch (cause) {
    throw new UploadError("invalid", `data must be standard base64 with padding: ${diagnose(text)}.`, {
      cause,
    });
  }
}

function diagnose(text: string): string {
  if (/^\s*data:/i.test(text)) {
    return 'it starts with "data:"; send only the part after the comma of a data URL';
  }
  const invalid = /[^A-Za-z0-9+/=\s]/u.exec(text);
  if (invalid && /[-_]/.test(invalid[0])) {
    return `character ${invalid.index} is "${
      invalid[0]
    }", which is base64url; use "+" for "-" and "/" for "_"`;
  }
  if (invalid) return `character ${invalid.index} is ${quoteText(invalid[0])}, which is not base64`;
  const padding = text.indexOf("=");
  const characters = text.replace(/\s/g, "");
  if (padding >= 0 && /[^=\s]/.test(text.slice(padding))) {
    return `"=" at character ${padding} is only allowed at the end; encode the bytes of each chunk in one piece`;
  }
  if (characters.length % 4 !== 0) {
    return `its length must be a multiple of 4, got ${characters.length} characters; it is truncated, or "=" is ` +
      `missing at the end`;
  }
  if (/===$/.test(characters)) return 'it ends with more than two "="';
  return "its last character has unused bits set; it is truncated or was changed";
}
