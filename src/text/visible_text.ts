import { lazy } from "./lazy.ts";

/*
 * Threat: a document shows one text to a person and another to the model. Unicode tag characters and
 * variation selectors can hide whole instructions, and bidirectional controls display text out of order
 * (CVE-2021-42574, "Trojan Source").
 *
 * Removed are characters without a visible form: Default_Ignorable_Code_Point (UAX #44, 5.3; The Unicode
 * Standard, 5.21), control characters, and interlinear annotations. UTR #36 (3.6 and 3.7) and UTS #55 (3 and
 * 5) describe the attacks, UTS #39 (3.1) and UAX #31 (2.3) the scripts that need joiners, and UTS #51 the
 * structure of emoji.
 */

/** ASCII, and the letters and the punctuation of Latin text. */
const PLAIN = /^[\t\n -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;

/** Controls that end a line or a page. They become newlines, because removing them would join two words. */
const LINE_ENDS = /\r\n?|[\v\f\u0085]/g;

const HIDDEN = String.raw`[[\p{Cc}--[\t\n]]\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;
const anyHidden = lazy(() => new RegExp(HIDDEN, "v"));

/** Letters and marks of scripts that need joiners: cursive scripts, and scripts with conjuncts. */
const JOINING = String.raw`[[[\p{L}\p{M}]--\p{DI}]&&[${
  [
    // Cursive.
    ..."Adlm Arab Mand Mong Nkoo Phag Rohg Syrc".split(" "),
    // With conjuncts, made or prevented at a virama.
    ..."Bali Beng Cakm Deva Gran Gujr Guru Java Khmr Knda Mlym Mtei Mymr".split(" "),
    ..."Newa Orya Sinh Sund Sylo Taml Telu Tibt Tirh".split(" "),
  ].map((script) => String.raw`\p{scx=${script}}`).join("")
}]]`;

/** The flags of England, Scotland and Wales, the only emoji with tag characters. */
const TAG_FLAGS = `\u{1f3f4}(?:${["gbeng", "gbsct", "gbwls"].map(asTags).join("|")})`;

const KEPT = [
  TAG_FLAGS,
  // Emoji or text presentation selectors; those of digits, # and * only in keycaps.
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // Joiners within an emoji.
  String.raw`(?<=\p{ExtPict}\ufe0f?|\p{EMod})\u200d(?=\p{ExtPict})`,
  `(?<=${JOINING})[\u200c\u200d](?=${JOINING})`,
  // Joiners at the end of a word: Malayalam chillus, Persian abbreviations.
  `(?<=${JOINING})\u200d(?![\u200c\u200d])`,
].join("|");

const keptOrHidden = lazy(() => new RegExp(`(${KEPT})|${HIDDEN}`, "gv"));

/**
 * Removes invisible characters, so that a model reads the same text as a person.
 *
 * Removes control characters, soft hyphens, zero-width characters, bidirectional controls, tag characters,
 * variation selectors, invisible operators, interlinear annotations and fillers, except where emoji, keycaps
 * or a script need them. Line ends become `\n`, lone surrogates U+FFFD. Other white space is unchanged.
 *
 * Never throws, takes linear time, and is idempotent.
 *
 * @example
 * ```ts
 * import { visibleText } from "./visible_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(visibleText("pay\u202eto\u200b \u{e0068}\u{e0069}Bob"), "payto Bob");
 * assertEquals(visibleText("👩\u200d🔧 می\u200cخواهم"), "👩\u200d🔧 می\u200cخواهم");
 * ```
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  const whole = text.toWellFormed();
  if (!anyHidden().test(whole)) return whole;
  return whole.replace(LINE_ENDS, "\n").replace(keptOrHidden(), "$1");
}

/** Converts ASCII to tag characters, followed by the terminating tag (UTS #51, ED-14a). */
function asTags(ascii: string): string {
  return String.fromCodePoint(...Array.from(ascii, (letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f);
}
