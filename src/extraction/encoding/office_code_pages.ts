import { CODE_PAGES, decodePage } from "./code_pages.ts";

/** Labels of the Encoding Standard, or of `CODE_PAGES`, for code pages that are not named `windows-N`. */
const LABELS: Readonly<Record<number, string>> = {
  437: "cp437",
  708: "iso-8859-6",
  850: "cp850",
  852: "cp852",
  855: "cp855",
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  1361: "euc-kr",
  10000: "macintosh",
  10001: "shift_jis",
  10007: "x-mac-cyrillic",
  // Declared as ASCII, with other characters all the same.
  20127: "utf-8",
  20866: "koi8-r",
  21866: "koi8-u",
  50220: "iso-2022-jp",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
};

/** Code pages by the character set of a font (RTF 1.9.1, `\fcharset`). */
export const CHARSETS: Readonly<Record<number, number>> = {
  77: 10000,
  78: 932,
  79: 949,
  80: 936,
  81: 950,
  89: 10007,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

const decoders = new Map<number, TextDecoder>();

/** Decodes text in a code page; an unknown one counts as 1252. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  const label = LABELS[codePage] ?? standardLabel(codePage);
  if (CODE_PAGES.has(label)) return decodePage(bytes, label);
  let decoder = decoders.get(codePage);
  if (!decoder) decoders.set(codePage, decoder = new TextDecoder(label));
  return decoder.decode(bytes);
}

function standardLabel(codePage: number): string {
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`;
  const part = codePage - 28590;
  // There is no ISO 8859-12.
  return part >= 2 && part <= 16 && part !== 12 ? `iso-8859-${part}` : "windows-1252";
}
