import { decodeWith, guessEncoding } from "../encoding/guess.ts";

/** Minimum confidence of a guess that replaces code page 437. */
const MIN_CONFIDENCE = 0.5;

/**
 * Decodes names of files in an archive, which does not declare their encoding: UTF-8 if all are valid, else the encoding
 * that they suggest together, else code page 437 (the default of ZIP: APPNOTE.TXT appendix D).
 *
 * @example
 * ```ts
 * import { decodeNames } from "./member_names.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
 * assertEquals(decodeNames([bytes("\x83e\x83X\x83g.txt")]), ["テスト.txt"]);
 * assertEquals(decodeNames([bytes("M\x81ller.txt")]), ["Müller.txt"]);
 * ```
 */
export function decodeNames(names: readonly Uint8Array[]): string[] {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return names.map((name) => decoder.decode(name));
  } catch {
    const { encoding, confidence } = guessEncoding(lines(names));
    const label = confidence < MIN_CONFIDENCE ? "cp437" : encoding;
    return names.map((name) => decodeWith(name, label));
  }
}

/** Maximum number of bytes of names from which an encoding is guessed. */
const SAMPLE_BYTES = 65_536;

function lines(names: readonly Uint8Array[]): Uint8Array {
  const sample: number[] = [];
  for (const name of names) {
    if (sample.length > SAMPLE_BYTES) break;
    sample.push(...name.subarray(0, 1024), 0x0a);
  }
  return Uint8Array.from(sample);
}
