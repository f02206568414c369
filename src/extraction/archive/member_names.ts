import { sniffEastAsian } from "../encoding/east_asian.ts";

/** Characters of code page 437 from 0x80: the encoding of names that declare none (APPNOTE.TXT appendix D). */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
  "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/**
 * Decodes the names of files in an archive, which does not declare their encoding: UTF-8 if all are valid, else the
 * encoding that their bytes together suggest, else code page 437.
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
  return decodeAll(names, "utf-8") ?? decodeAll(names, guessEncoding(names)) ??
    names.map((name) => Array.from(name, cp437Char).join(""));
}

function decodeAll(names: readonly Uint8Array[], label: string | undefined): string[] | undefined {
  if (label === undefined) return undefined;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    return names.map((name) => decoder.decode(name));
  } catch {
    return undefined;
  }
}

function cp437Char(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80]!;
}

/** Maximum number of bytes from which an encoding is guessed. */
const SAMPLE_BYTES = 65_536;

function guessEncoding(names: readonly Uint8Array[]): string | undefined {
  const sample: number[] = [];
  for (const name of names) {
    if (sample.length > SAMPLE_BYTES) break;
    sample.push(...name.subarray(0, 1024), 0x2f);
  }
  return isCp866(sample) ? "ibm866" : sniffEastAsian(Uint8Array.from(sample));
}

/** Whether most bytes beyond ASCII are Cyrillic letters of code page 866, in words of three letters or more. */
function isCp866(sample: readonly number[]): boolean {
  let high = 0;
  let cyrillic = 0;
  let words = 0;
  for (const [at, byte] of sample.entries()) {
    if (byte < 0x80) continue;
    high++;
    if (byte < 0xb0 || (byte >= 0xe0 && byte < 0xf2)) cyrillic++;
    if ((sample[at - 1] ?? 0) < 0x80) words++;
  }
  return high >= 3 * words && words > 0 && cyrillic >= 0.95 * high;
}
