import { sniffEastAsian } from "./east_asian.ts";
import { isBinary, sniffUnicode } from "./unicode.ts";

/** Number of bytes that statistics are computed from. */
const SAMPLE_BYTES = 65_536;
/**
 * Minimum confidence (of 100) of a statistical guess for a sample longer than {@linkcode SHORT_SAMPLE_BYTES}.
 */
const MIN_CONFIDENCE = 50;
/** Samples up to this length are too short for statistics. */
const SHORT_SAMPLE_BYTES = 1024;

/**
 * Decodes text of any encoding. In order of precedence: byte order mark, valid UTF-8, the declared encoding,
 * statistics. Invalid bytes become U+FFFD.
 *
 * @param declared Encoding label declared by the sender or the document.
 * @returns `undefined` for binary data.
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<string | undefined> {
  if (isBinary(bytes)) return undefined;
  const unicode = sniffUnicode(bytes);
  if (unicode) return new TextDecoder(unicode).decode(bytes);
  // ISO-2022-JP is ASCII with escape sequences: valid as UTF-8, but unreadable.
  for (const label of [hasIso2022JpEscape(bytes) ? "iso-2022-jp" : "utf-8", declared]) {
    const text = label === undefined ? undefined : decodeStrictly(bytes, label);
    if (text !== undefined) return text;
  }
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  // A few invalid bytes must not turn a whole UTF-8 text into Latin-1.
  if (isMostlyUtf8(sample)) return new TextDecoder().decode(bytes);
  for (const label of await guessEncodings(sample)) {
    const text = decodeStrictly(bytes, label);
    if (text !== undefined) return text;
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** Returns encoding labels, most likely first. */
async function guessEncodings(sample: Uint8Array): Promise<string[]> {
  const { analyse } = await import("chardet");
  const guesses = analyse(sample);
  const confidence = guesses[0]?.confidence ?? 0;
  const labels = guesses.map((guess) => guess.name as string);
  if (confidence >= MIN_CONFIDENCE && sample.length > SHORT_SAMPLE_BYTES) return labels;
  const eastAsian = sniffEastAsian(sample);
  if (eastAsian) return [eastAsian, ...labels];
  // Statistics of a few words cannot tell Latin encodings apart; Western European is the most common by far.
  const isLatin = /^(?:windows-125[0247]|ISO-8859-[1239])$/.test(labels[0] ?? "");
  return isLatin && confidence < MIN_CONFIDENCE ? ["windows-1252", ...labels] : labels;
}

/** Returns `undefined` for an unknown label and for invalid bytes. */
function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the bytes contain `ESC $ @` or `ESC $ B`, which switch ISO-2022-JP to JIS X 0208. */
function hasIso2022JpEscape(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) {
    const [set, final] = [bytes[at + 1], bytes[at + 2]];
    if (set === 0x24 && (final === 0x40 || final === 0x42)) return true;
  }
  return false;
}

/**
 * Whether at least 90 % of the characters beyond ASCII are valid UTF-8. In other encodings hardly any are.
 */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample);
  let beyondAscii = 0;
  let invalid = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    beyondAscii++;
    if (code === 0xfffd) invalid++;
  }
  return beyondAscii > 8 && invalid < beyondAscii / 10;
}
