import { isBinary, sniffUnicode } from "./encoding.ts";
import { sniffEastAsian } from "./legacy_encoding.ts";

/** Bytes that statistics are made of. */
const SAMPLE_BYTES = 65_536;
/** Confidence of statistics, of 100, from which they count, if they are made of more than a few words. */
const SURE = 50;
const FEW_BYTES = 1024;

/**
 * The text of bytes in whatever encoding they are: by byte order mark, then UTF-8 if they are valid in it, then what the
 * sender declared, then by what the bytes look like. Bytes that mean nothing become U+FFFD.
 *
 * @param declared Label of an encoding that the sender or the document names.
 * @returns Undefined for bytes that are no text.
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<string | undefined> {
  if (isBinary(bytes)) return undefined;
  const unicode = sniffUnicode(bytes);
  if (unicode) return new TextDecoder(unicode).decode(bytes);
  // ISO-2022-JP is ASCII with escapes; as UTF-8 it would be valid and meaningless.
  for (const label of [hasCharacterSetShift(bytes) ? "iso-2022-jp" : "utf-8", declared]) {
    const text = label === undefined ? undefined : decodeStrictly(bytes, label);
    if (text !== undefined) return text;
  }
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  // A few broken bytes in a UTF-8 text must not make all of it Latin.
  if (isMostlyUtf8(sample)) return new TextDecoder().decode(bytes);
  for (const label of await guessEncodings(sample)) {
    const text = decodeStrictly(bytes, label);
    if (text !== undefined) return text;
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** Labels of encodings, the likeliest first. */
async function guessEncodings(sample: Uint8Array): Promise<string[]> {
  const { analyse } = await import("chardet");
  const guesses = analyse(sample);
  const best = guesses[0]?.confidence ?? 0;
  const labels = guesses.map((guess) => guess.name as string);
  if (best >= SURE && sample.length > FEW_BYTES) return labels;
  const east = sniffEastAsian(sample);
  if (east) return [east, ...labels];
  // Among Latin encodings a few words prove nothing, and the Western one is the most common by far.
  const isLatin = /^(?:windows-125[0247]|ISO-8859-[1239])$/.test(labels[0] ?? "");
  return isLatin && best < SURE ? ["windows-1252", ...labels] : labels;
}

/** The text, if the label is known and all bytes mean something. */
function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether there is an escape sequence of ISO-2022-JP: ESC $ or ESC ( and a letter. */
function hasCharacterSetShift(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) {
    const [set, final] = [bytes[at + 1], bytes[at + 2]];
    if (set === 0x24 && (final === 0x40 || final === 0x42)) return true;
  }
  return false;
}

/** Whether nearly all characters beyond ASCII are valid as UTF-8; text in another encoding has hardly any. */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample);
  let beyond = 0;
  let bad = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    beyond++;
    if (code === 0xfffd) bad++;
  }
  return beyond > 8 && bad < beyond / 10;
}
