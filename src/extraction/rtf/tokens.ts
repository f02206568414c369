/** A token of RTF. Text is a range of bytes. */
export type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly word: string; readonly value: number | undefined }
  | { readonly kind: "symbol"; readonly symbol: string }
  | { readonly kind: "text"; readonly bytes: Uint8Array };

const OPEN = 0x7b;
const CLOSE = 0x7d;
const BACKSLASH = 0x5c;
const QUOTE = 0x27;
/** Maximum number of letters of a control word (RTF 1.9.1, "Control Word"). */
const MAX_WORD = 32;

/** Splits RTF into tokens (RTF 1.9.1, "RTF Syntax"). Binary data of `\bin` is left out. */
export function* readTokens(bytes: Uint8Array): Generator<RtfToken> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === OPEN || byte === CLOSE) {
      yield byte === OPEN ? { kind: "open" } : { kind: "close" };
      at++;
    } else if (byte === BACKSLASH) {
      const next = bytes[at + 1] ?? 0;
      if (isLetter(next)) {
        const { word, value, end } = readWord(bytes, at + 1);
        // The data follow the word, and can contain braces.
        at = word === "bin" ? end + Math.max(value ?? 0, 0) : end;
        if (word !== "bin") yield { kind: "word", word, value };
      } else if (next === QUOTE) {
        const code = Number.parseInt(String.fromCharCode(bytes[at + 2] ?? 0, bytes[at + 3] ?? 0), 16);
        if (!Number.isNaN(code)) yield { kind: "text", bytes: Uint8Array.of(code) };
        at += 4;
      } else {
        yield { kind: "symbol", symbol: String.fromCharCode(next) };
        at += 2;
      }
    } else if (byte === 0x0d || byte === 0x0a) {
      at++;
    } else {
      const start = at;
      while (at < bytes.length && !isSyntax(bytes[at]!)) at++;
      yield { kind: "text", bytes: bytes.subarray(start, at) };
    }
  }
}

function isSyntax(byte: number): boolean {
  return byte === OPEN || byte === CLOSE || byte === BACKSLASH || byte === 0x0d || byte === 0x0a;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

/** Reads a control word with its parameter and the space that ends it. */
function readWord(
  bytes: Uint8Array,
  start: number,
): { word: string; value: number | undefined; end: number } {
  let at = start;
  while (isLetter(bytes[at] ?? 0) && at - start < MAX_WORD) at++;
  const word = String.fromCharCode(...bytes.subarray(start, at));
  const digits = at;
  if (bytes[at] === 0x2d) at++;
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39 && at - digits < 11) at++;
  const value = at === digits ? undefined : Number(String.fromCharCode(...bytes.subarray(digits, at)));
  if (bytes[at] === 0x20) at++;
  return { word, value: Number.isNaN(value) ? undefined : value, end: at };
}
