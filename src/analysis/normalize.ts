import { fold, separateTokens } from "./fold.ts";
import { greekSubwords } from "./greek_letters.ts";
import { foldLatin, latinTables } from "./latin_text.ts";
import { ngramsInText, subwordLines } from "./subwords.ts";

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

/** A text as the full-text index stores it, in two parts. */
export interface SearchText {
  /** The text as {@linkcode normalizeForSearch} returns it. */
  readonly normalized: string;
  /** Returns the subwords of its words, on lines of their own; empty: none. */
  readonly subwords: () => string;
}

/**
 * Analyzes a text for the full-text index. Finding the subwords takes much longer than normalization: see
 * `findSubword`.
 *
 * @example
 * ```ts
 * import { analyzeForSearch } from "./normalize.ts";
 * import { assertEquals } from "@std/assert";
 * const { normalized, subwords } = analyzeForSearch("Café: getUserName()");
 * assertEquals([normalized, subwords()], ["cafe: getusername()", "get user name"]);
 * ```
 */
export function analyzeForSearch(text: string): SearchText {
  const isPlain = !NEEDS_NORMALIZATION.test(text);
  if (!isPlain && latinTables().other.test(text)) {
    const folded = fold(text);
    return {
      normalized: separateTokens(folded),
      subwords: () => {
        const names = joinLines([...subwordLines(text), ...greekLines(text)]);
        return [...(names === "" ? [] : [names]), ...ngramsInText(folded)].join("\n");
      },
    };
  }
  return {
    normalized: isPlain ? text : foldLatin(text),
    subwords: () => joinLines(isPlain ? subwordLines(text) : [...subwordLines(text), ...greekLines(text)]),
  };
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
  const { normalized, subwords } = analyzeForSearch(text);
  const found = subwords();
  return found === "" ? normalized : `${normalized}\n${found}`;
}

function joinLines(names: readonly string[]): string {
  return names.length === 0 ? "" : normalizeForSearch(names.join("\n"));
}

function greekLines(text: string): string[] {
  const greek = greekSubwords(text);
  return [...new Set([...greek.map((names) => names.join(" ")), ...greek.map((names) => names.join(""))])];
}
