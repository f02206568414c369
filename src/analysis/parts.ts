/*
 * What is inside of a word and is to be found by itself: the words of `getUserName`, the `++` of C++, and two or three
 * characters of a text that puts no space between words.
 */

const scripts = (names: string) => names.split(" ").map((name) => `\\p{Script_Extensions=${name}}`).join("");
/** Scripts whose words are found two characters at a time, as the inside of a character class. */
export const PAIRED_SCRIPTS = scripts("Han Hira Kana Bopo Hang Yi");
/** Those with fewer characters and longer words, found three at a time. */
export const TRIPLED_SCRIPTS = scripts("Thai Laoo Khmr Mymr Lana Tale Talu");

/** Characters of one gram, by the script. */
export const GRAM_LENGTHS = { paired: 2, tripled: 3 } as const;

/** Punctuation of these scripts, which ends a run, is in their character classes too. A line may end within a run. */
const run = (characters: string) => {
  const row = `[[${characters}]&&[\\p{L}\\p{N}\\p{So}\\p{M}]]+`;
  return new RegExp(`${row}(?:\\r?\\n${row})*`, "gv");
};
const RUNS = { paired: run(PAIRED_SCRIPTS), tripled: run(TRIPLED_SCRIPTS) };
const HAS_RUN = new RegExp(`[${PAIRED_SCRIPTS}${TRIPLED_SCRIPTS}]`, "u");

/**
 * Overlapping grams of every run of characters that are written without spaces: `東京都` has `東京` and `京都`. With them in the index, a
 * word of such a script is found like any other, and not by going through all places of its characters.
 *
 * @param folded Text in the form of the index, but with these characters still together.
 */
export function grams(folded: string): string[] {
  const found: string[] = [];
  if (!HAS_RUN.test(folded)) return found;
  for (const kind of ["paired", "tripled"] as const) {
    for (const [match] of folded.matchAll(RUNS[kind])) {
      found.push(...gramsOf([...match.replace(/\s/g, "")], GRAM_LENGTHS[kind]));
    }
  }
  return found;
}

/** Overlapping grams of so many characters; none of fewer characters. */
export function gramsOf(characters: readonly string[], length: number): string[] {
  const found: string[] = [];
  for (let start = 0; start + length <= characters.length; start++) {
    found.push(characters.slice(start, start + length).join(""));
  }
  return found;
}

/** A word with a capital behind something else, or with digits beside letters; the first for ASCII, which takes a tenth of the time. */
const MIXED_ASCII = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z]{2}[0-9]|[0-9][A-Za-z]{2}/;
const MIXED = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}|\p{L}{2}\p{N}|\p{N}\p{L}{2}/u;
const ALPHANUMERIC = /[\p{L}\p{N}]+/gu;
/** Where one part ends and the next begins. */
const SEAM =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u;
/** The same for digits alone: TypeScript5 is TypeScript. */
const DIGITS_SEAM = /(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u;
/** Hexadecimal digits have no parts. */
const HASH = /^(?=.*\d)[\da-f]{7,}$/i;
const ASCII = /^[\0-\x7f]*$/;
/** Two words with one mark between them, and what tells quickly that a text has none. */
const MAY_BE_JOINED = /[^\s!-/:-@[-`{-~][-_.][^\s!-/:-@[-`{-~]/;
const JOINED = /(?<![\p{L}\p{N}][-_.]?)([\p{L}\p{N}]{1,20})[-_.]([\p{L}\p{N}]{1,20})(?![-_.]?[\p{L}\p{N}])/gu;
/** Longer words, and words of more parts, are base64 or the like. */
const MAX_WORD = 64;
const MAX_PARTS = 8;

/** The names of languages and the like that are told from a letter by a sign only. */
const SIGNED =
  /(?<![\p{L}\p{N}])(\p{L}{1,3})(\+\+|#)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(\.)(net)(?![\p{L}\p{N}])/giu;
const SIGNS: Readonly<Record<string, string>> = { "++": "plusplus", "#": "sharp", ".": "dot" };

/**
 * The parts of names in code, in lower case: `getUserName` is get, user, name, `SHA256` is sha, 256, and `C++` is the one word
 * "cplusplus", since no index has signs.
 *
 * @param text As it was written: capitals tell the parts apart.
 * @returns For each different name the words that are in it.
 *
 * @example
 * ```ts
 * import { codeParts } from "./parts.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(codeParts("parseXMLDocument in C#"), [["parse", "xml", "document"], ["csharp"]]);
 * ```
 */
export function codeParts(text: string): string[][] {
  const found = new Map<string, string[]>();
  const seen = new Set<string>();
  const mixed = ASCII.test(text) ? MIXED_ASCII : MIXED;
  if (mixed.test(text)) {
    for (const [word] of text.matchAll(ALPHANUMERIC)) {
      if (word.length > MAX_WORD || seen.has(word) || !mixed.test(word) || HASH.test(word)) continue;
      seen.add(word);
      for (const seam of [SEAM, DIGITS_SEAM]) {
        const parts = word.split(seam).map((part) => part.toLowerCase());
        // OAuth is a word, and so is iPhone.
        if ([...parts[0] ?? ""].length === 1) parts.splice(0, 2, parts.slice(0, 2).join(""));
        if (parts.length > 1 && parts.length <= MAX_PARTS) found.set(parts.join(" "), parts);
      }
    }
  }
  for (const [whole, letters = "", sign = "", dot, net] of text.matchAll(SIGNED)) {
    found.set(whole, [
      dot ? SIGNS[dot] + (net as string).toLowerCase() : letters.toLowerCase() + SIGNS[sign],
    ]);
  }
  return [...found.values()];
}

/**
 * Two words with a hyphen, a dot or the like between them, as one: others write `utf8`, `nodejs` and `pushback`.
 *
 * @param text As it was written.
 * @returns Different ones, in lower case.
 */
export function joinedWords(text: string): string[] {
  if (!MAY_BE_JOINED.test(text)) return [];
  const found = new Set<string>();
  for (const [, first = "", second = ""] of text.matchAll(JOINED)) {
    const joined = (first + second).toLowerCase();
    if (/\p{L}/u.test(joined)) found.add(joined);
  }
  return [...found];
}
