import { UploadError } from "./errors.ts";

/**
 * Decodes a chunk (RFC 4648 §4: standard alphabet, padded; white space is ignored).
 *
 * Strict, because the lenient decoders turn a chunk that was cut off or mistyped into other bytes without a word:
 * `Buffer.from` skips what it does not know, `atob` accepts a last character with loose bits.
 *
 * @throws {UploadError} `invalid`, saying what is wrong and where.
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
    return 'it starts with "data:"; send only what follows the comma of a data URL';
  }
  const stranger = /[^A-Za-z0-9+/=\s]/u.exec(text);
  if (stranger && /[-_]/.test(stranger[0])) {
    return `character ${stranger.index} is "${
      stranger[0]
    }", of the base64url alphabet; use "+" for "-" and "/" for "_"`;
  }
  if (stranger) return `character ${stranger.index} is ${JSON.stringify(stranger[0])}, which is not base64`;
  const padding = text.indexOf("=");
  const letters = text.replace(/\s/g, "");
  if (padding >= 0 && /[^=\s]/.test(text.slice(padding))) {
    return `"=" stands at character ${padding} but may stand at the end only; encode each chunk as a whole, in one piece`;
  }
  if (letters.length % 4 !== 0) {
    return `its length must be a multiple of 4, got ${letters.length} characters; it was cut off, or "=" is missing at the end`;
  }
  if (/===$/.test(letters)) return 'it ends with more than two "="';
  return "its last character has bits that belong to no byte; it was cut off or changed";
}
