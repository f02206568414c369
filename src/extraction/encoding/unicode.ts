/** Number of bytes that are inspected to tell text from binary data. */
const SAMPLE_BYTES = 65_536;
/** Number of bytes that are inspected for UTF-16 and UTF-32 without a byte order mark. */
const UNMARKED_BYTES = 4096;
/** Binary data of this length have more control characters than {@linkcode MAX_STRAY_CONTROLS}. */
const MIN_BINARY_BYTES = 400;
/** Number of control characters that any text may have, unless they are more than an eighth of it. */
const MAX_STRAY_CONTROLS = 4;

/** A Unicode encoding. `TextDecoder` has no UTF-32. */
export type UnicodeEncoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Detects a Unicode encoding by its byte order mark. */
export function markedUnicode([a, b, c, d]: Uint8Array): UnicodeEncoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "utf-32le" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0 && b === 0 && c === 0xfe && d === 0xff ? "utf-32be" : undefined;
}

/**
 * Detects UTF-16 and UTF-32 without a byte order mark. Latin text has zero bytes; that of other scripts has control
 * bytes, and decodes to letters only with the right order.
 */
export function unmarkedUnicode(bytes: Uint8Array): UnicodeEncoding | undefined {
  const sample = bytes.subarray(0, UNMARKED_BYTES);
  if (bytes.length % 2 !== 0 || sample.length < 4) return undefined;
  if (!sample.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20))) return undefined;
  const encodings = bytes.length % 4 === 0
    ? ["utf-32le", "utf-32be", "utf-16le", "utf-16be"] as const
    : ["utf-16le", "utf-16be"] as const;
  return encodings.find((encoding) => isPlausible(decodeUnicode(sample, encoding)));
}

/** Whether more than a tenth of the bytes are control characters. */
export function hasManyControls(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, UNMARKED_BYTES);
  let controls = 0;
  for (const byte of sample) if (byte < 0x09 || (byte > 0x0d && byte < 0x20)) controls++;
  return controls > sample.length / 10;
}

/** Returns the ISO-2022 encoding that the bytes switch to by an escape sequence. */
export function escapedEncoding(bytes: Uint8Array): "iso-2022-jp" | "iso-2022-kr" | undefined {
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] !== 0x24) continue;
    const [set, final] = [bytes[at + 2], bytes[at + 3]];
    // `ESC $ @` and `ESC $ B` select JIS X 0208, `ESC $ ) C` KS X 1001.
    if (set === 0x40 || set === 0x42) return "iso-2022-jp";
    if (set === 0x29 && final === 0x43) return "iso-2022-kr";
  }
  return undefined;
}

/** Decodes bytes. Invalid ones become U+FFFD. */
export function decodeUnicode(bytes: Uint8Array, encoding: UnicodeEncoding): string {
  if (encoding !== "utf-32le" && encoding !== "utf-32be") return new TextDecoder(encoding).decode(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === "utf-32le");
    if (at > 0 || code !== 0xfeff) part += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    if (part.length > UNMARKED_BYTES) {
      parts.push(part);
      part = "";
    }
  }
  return parts.join("") + part;
}

/** Whether nearly all characters are letters, numbers, marks and punctuation, and some separate words or sentences. */
function isPlausible(text: string): boolean {
  if (!/[\n -~、。，\u3000]/.test(text)) return false;
  const strange = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\s]/gu)?.length ?? 0;
  // Bytes of Latin text in the wrong order are rare ideographs.
  const common =
    text.match(/[\s\p{P}0-9\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}]/gu)
      ?.length ??
      0;
  const eastAsian = text.match(/[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/gu)?.length ?? 0;
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  return strange <= text.length / 100 && letters > 0 && (common + eastAsian) >= text.length * 0.7;
}

/** Whether bytes are text in EBCDIC: its spaces are the at signs of ASCII, its letters and digits high bytes. */
export function isEbcdic(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, UNMARKED_BYTES);
  if (sample.length < 16) return false;
  let spaces = 0;
  let words = 0;
  let asciiSpaces = 0;
  for (const byte of sample) {
    if (byte === 0x40) spaces++;
    else if (byte === 0x20) asciiSpaces++;
    else if (byte >= 0x81 && byte <= 0xf9 && (byte & 0x0f) <= 9) words++;
  }
  return spaces > sample.length / 20 && asciiSpaces < sample.length / 100 &&
    words + spaces > sample.length * 0.8 && words > sample.length / 4;
}

/**
 * Whether bytes are not text: they have many zero bytes or control characters, and are no UTF-16, UTF-32 or EBCDIC.
 */
export function isBinary(bytes: Uint8Array): boolean {
  if (escapedEncoding(bytes.subarray(0, SAMPLE_BYTES))) return false;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const marked = markedUnicode(sample);
  if (marked !== undefined && marked !== "utf-8") {
    const text = decodeUnicode(sample.subarray(0, sample.length & ~3), marked);
    // deno-lint-ignore no-control-regex -- counts control characters
    return (text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd\ufffe\uffff]/g)?.length ?? 0) >
      text.length / 50;
  }
  let controls = 0;
  let zeros = 0;
  let printable = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at]!;
    if (byte === 0) zeros++;
    // Tabs, line and page ends are text; ESC occurs in ISO-2022 encodings and in colored logs.
    if (byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f) controls++;
    else if (byte < 0x80) printable++;
  }
  const maxStray = Math.min(MAX_STRAY_CONTROLS, sample.length / 8);
  const isText = controls <= Math.max(maxStray, sample.length / 100) &&
    zeros <= Math.max(maxStray, sample.length / 200) &&
    // A few random bytes may have few control characters.
    (controls === 0 || sample.length > MIN_BINARY_BYTES || printable > sample.length * 0.7);
  return !isText && unmarkedUnicode(bytes) === undefined && !isEbcdic(sample);
}
