/** Characters of the font Symbol from 0x20 to 0x7E and from 0xA0 to 0xFE (Adobe Symbol encoding). */
const SYMBOL_LOW =
  " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
const SYMBOL_HIGH =
  "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/** Characters of the font Wingdings that stand for words or marks. */
const WINGDINGS: Readonly<Record<number, string>> = {
  0x28: "☎",
  0x2a: "✉",
  0x4a: "☺",
  0x4c: "☹",
  0x6c: "●",
  0x6e: "■",
  0x6f: "□",
  0x71: "❑",
  0x76: "❖",
  0x9f: "•",
  0xa7: "▪",
  0xa8: "☐",
  0xd8: "➢",
  0xdf: "←",
  0xe0: "→",
  0xe1: "↑",
  0xe2: "↓",
  0xf0: "⇨",
  0xfb: "✗",
  0xfc: "✓",
  0xfd: "☒",
  0xfe: "☑",
};

/**
 * Returns the Unicode character for a character of the fonts Symbol and Wingdings; an empty string for other pictures of
 * Wingdings, `undefined` for other fonts.
 *
 * @param code Code in the font, or in the private use area from U+F000 on, where Office moves it.
 */
export function symbolCharacter(font: string, code: number): string | undefined {
  const byte = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (/^wingdings/i.test(font)) return /^wingdings$/i.test(font) ? WINGDINGS[byte] ?? "" : "";
  if (!/^symbol/i.test(font)) return undefined;
  return (byte < 0xa0 ? SYMBOL_LOW[byte - 0x20] : SYMBOL_HIGH[byte - 0xa0]) ?? "";
}

/** Replaces characters in the private use area of symbol fonts; all characters if the text is in such a font. */
export function decodeSymbols(text: string, font: string | undefined): string {
  if (font === undefined || !/^(?:symbol|wingdings)/i.test(font)) return text;
  return Array.from(text, (char) => symbolCharacter(font, char.codePointAt(0)!) ?? char).join("");
}
