import { fold, separateTokens } from "./fold.ts";
import { greekSubwords } from "./greek_letters.ts";
import { foldLatin, latinTables } from "./latin_text.ts";
import { compoundWords, identifierSubwords, ngramsInText } from "./subwords.ts";

/*
 * The same normalization prepares documents and queries, so that different spellings of a word match. The
 * FTS5 tokenizer then only splits at spaces, folds ASCII case and stems.
 */

// deno-lint-ignore no-control-regex -- NUL is replaced below; every other ASCII character is kept.
const NEEDS_NORMALIZATION = /[^\u0001-\u007f]/;

/**
 * Normalizes text for the full-text index, or for a query against it.
 *
 * ASCII is returned unchanged, because the tokenizer folds its case. Other text is decomposed (NFKD),
 * stripped of diacritics and invisible characters, composed again (so the result is NFKC) and lower-cased;
 * letters such as `ß` and `ø` are spelled in ASCII, and characters of CJK, Thai and similar scripts, and
 * emoji, are separated by spaces. The result is well-formed UTF-16 without NUL and at most about 20 times as
 * long as the input (U+FDFA alone expands to 18 characters).
 *
 * @param text Any string, including one with lone surrogates.
 *
 * @example
 * ```ts
 * import { normalizeForSearch } from "./normalize.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(normalizeForSearch("Crème brûlée in Straße"), "creme brulee in strasse");
 * assertEquals(normalizeForSearch("東京 tower").split(" ").filter(Boolean), ["東", "京", "tower"]);
 * ```
 */
export function normalizeForSearch(text: string): string {
  if (!NEEDS_NORMALIZATION.test(text)) return text;
  return latinTables().other.test(text) ? separateTokens(fold(text)) : foldLatin(text);
}

/**
 * Returns the text to store in the full-text index: the normalized text, followed by the subwords of its
 * words. The subwords come last so that they do not interrupt phrases.
 *
 * @example
 * ```ts
 * import { toSearchText } from "./normalize.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(toSearchText("call getUserName()"), "call getUserName()\nget user name");
 * ```
 */
export function toSearchText(text: string): string {
  const isPlain = !NEEDS_NORMALIZATION.test(text);
  const isLatin = isPlain || !latinTables().other.test(text);
  const folded = isLatin ? "" : fold(text);
  const normalized = isPlain ? text : isLatin ? foldLatin(text) : separateTokens(folded);
  const identifiers = identifierSubwords(text).map((subwords) => subwords.join(" "));
  const greek = isPlain ? [] : greekSubwords(text);
  const spelled = [...greek.map((names) => names.join(" ")), ...greek.map((names) => names.join(""))];
  const names = [...identifiers, ...compoundWords(text), ...new Set(spelled)].join("\n");
  const subwords = [normalizeForSearch(names), ...(isLatin ? [] : ngramsInText(folded))].filter((each) =>
    each !== ""
  );
  return subwords.length === 0 ? normalized : `${normalized}\n${subwords.join("\n")}`;
}
