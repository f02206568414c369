import { lazy } from "./lazy.ts";

/** Default maximum length of a quoted text, in UTF-16 code units before escaping. */
const MAX_LENGTH = 100;

const PLAIN = /^[ -~]*$/;

/**
 * Characters that a reader does not see, or sees as something else: controls, format characters such as
 * bidirectional controls and tags, unassigned and private code points, unpaired surrogates, line separators,
 * ignorable characters, and spaces other than U+0020.
 */
const invisible = lazy(() =>
  new RegExp(String.raw`[\p{C}\p{Zl}\p{Zp}[\p{Zs}--\u0020]\p{Default_Ignorable_Code_Point}]`, "gv")
);

/**
 * Quotes a text from an untrusted source for a message: one line, bounded, with every invisible character
 * escaped. `visibleText` would remove them, and the message would name a value that the caller did not send.
 *
 * The result is a JSON string. A text that is longer than `maxLength` ends in `…`.
 *
 * @param maxLength Maximum length of the quoted part in UTF-16 code units, before escaping.
 *
 * @example
 * ```ts
 * import { quoteText } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(quoteText("mem\u202eory"), String.raw`"mem\u202eory"`);
 * assertEquals(quoteText("a long name", 6), '"a long…"');
 * ```
 */
export function quoteText(text: string, maxLength = MAX_LENGTH): string {
  const isCut = text.length > maxLength;
  // The first half of a surrogate pair would be shown as an escape.
  const shown = isCut ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "") : text;
  return escapeInvisible(JSON.stringify(isCut ? `${shown}…` : shown));
}

/**
 * Replaces every invisible character by its JSON escape, such as `\u202e`. JSON stays JSON of the same value,
 * if its only white space is U+0020.
 *
 * @example
 * ```ts
 * import { escapeInvisible } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(escapeInvisible("a\u200bb\n"), String.raw`a\u200bb\u000a`);
 * ```
 */
export function escapeInvisible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(invisible(), escape);
}

function escape(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
