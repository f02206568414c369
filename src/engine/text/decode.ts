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
  const shifts = hasCharacterSetShift(bytes);
  const text = (shifts ? undefined : decodeStrictly(bytes, "utf-8")) ??
    (declared === undefined ? undefined : decodeStrictly(bytes, declared));
  if (text !== undefined) return text;

  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const { analyse } = await import("chardet");
  const guesses = analyse(sample);
  const isSure = (guesses[0]?.confidence ?? 0) >= SURE && sample.length > FEW_BYTES;
  const east = isSure ? undefined : sniffEastAsian(sample);
  const labels = [...(east ? [east] : []), ...guesses.map((guess) => guess.name)];
  for (const label of labels) {
    const guessed = decodeStrictly(bytes, label);
    if (guessed !== undefined) return guessed;
  }
  // A few broken bytes in a long UTF-8 text must not make all of it Latin.
  const isMostlyUtf8 = labels[0] === "UTF-8" || shareOfUtf8(sample) > 0.9;
  return new TextDecoder(isMostlyUtf8 ? "utf-8" : "windows-1252").decode(bytes);
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

/** The share of characters beyond ASCII that are valid as UTF-8. */
function shareOfUtf8(sample: Uint8Array): number {
  const text = new TextDecoder().decode(sample);
  let beyond = 0;
  let bad = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    beyond++;
    if (code === 0xfffd) bad++;
  }
  return beyond === 0 ? 0 : 1 - bad / beyond;
}
