import { lazy } from "../text/mod.ts";
import { spelledGreekSubwords } from "./greek_letters.ts";
import { type LatinNames, latinNames, splitLatin } from "./latin_names.ts";
import { isLatin } from "./latin_text.ts";
import { BIGRAM_SCRIPTS, TRIGRAM_SCRIPTS } from "./scripts.ts";

/*
 * Subwords that match on their own: the words of `getUserName`, the name of C++, and n-grams of text in
 * scripts without spaces between words.
 */

/** Number of characters in an n-gram. */
export const NGRAM_LENGTHS = { bigram: 2, trigram: 3 } as const;

/**
 * Matches a run of characters without spaces. The intersection excludes punctuation, which also belongs to
 * these scripts. A line break continues a run.
 */
const runOf = (characters: string) => {
  const line = `[[${characters}]&&[\\p{L}\\p{N}\\p{So}\\p{M}]]+`;
  return new RegExp(`${line}(?:\\r?\\n${line})*`, "gv");
};
const runs = lazy(() => ({ bigram: runOf(BIGRAM_SCRIPTS), trigram: runOf(TRIGRAM_SCRIPTS) }));
const hasRun = lazy(() => new RegExp(`[${BIGRAM_SCRIPTS}${TRIGRAM_SCRIPTS}]`, "u"));

/**
 * Returns the overlapping n-grams of every run of characters without spaces: `東京` and `京都` for `東京都`. With
 * n-grams in the index, a word of such a script has its own posting list, and finding it needs no phrase
 * query over single characters.
 *
 * @param folded Normalized text whose characters have not been separated by spaces yet.
 */
export function ngramsInText(folded: string): string[] {
  const found: string[] = [];
  if (!hasRun().test(folded)) return found;
  for (const kind of ["bigram", "trigram"] as const) {
    for (const [match] of folded.matchAll(runs()[kind])) {
      found.push(...ngramsOf([...match.replace(/\s/g, "")], NGRAM_LENGTHS[kind]));
    }
  }
  return found;
}

/** Returns the overlapping n-grams of `length` characters each; none of fewer characters. */
export function ngramsOf(characters: readonly string[], length: number): string[] {
  const found: string[] = [];
  for (let start = 0; start + length <= characters.length; start++) {
    found.push(characters.slice(start, start + length).join(""));
  }
  return found;
}

/** Mixed case after the first letter, or digits next to letters. */
const mixedUnicode = lazy(() => /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}|\p{L}{2}\p{N}|\p{N}\p{L}{2}/u);
const alphanumeric = lazy(() => /[\p{L}\p{N}]+/gu);
/** Boundary between two subwords. */
const boundaries = lazy(() =>
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u
);
/** Boundary between letters and digits only: `TypeScript5` also has the subword `typescript`. */
const digitBoundaries = lazy(() => /(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u);
/** A hexadecimal hash, which has no subwords. */
const HASH = /^(?=.*\d)[\da-f]{7,}$/i;
/** Cheap test that rules out most texts without {@linkcode compounds}. */
const MAY_HAVE_COMPOUND = /[^\s!-/:-@[-`{-~][-_.][^\s!-/:-@[-`{-~]/;
/** Two words joined by a hyphen, dot or underscore. */
const compounds = lazy(() =>
  /(?<![\p{L}\p{N}][-_.]?)([\p{L}\p{N}]{1,20})[-_.]([\p{L}\p{N}]{1,20})(?![-_.]?[\p{L}\p{N}])/gu
);
/** Longer words, and words with more subwords, are base64 or similar data. */
const MAX_WORD_CHARS = 64;
const MAX_SUBWORDS = 8;

const HAS_SHARP = /[^\s#]#/;
const HAS_DOT_NET = /\.net/i;
/** Names that differ from another word only by a symbol: `C++`, `C#`, `.NET`. */
const symbolNames = lazy(() =>
  /(?<![\p{L}\p{N}])(\p{L}{1,3})(\+\+|#)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(\.)(net)(?![\p{L}\p{N}])/giu
);
const SYMBOL_WORDS: Readonly<Record<string, string>> = { "++": "plusplus", "#": "sharp", ".": "dot" };
/** A word that may be that of a name with a symbol. */
export const SYMBOL_NAME_END = /(?:plusplus|sharp|dotnet)$/;

/**
 * Returns the subwords of identifiers, in lower case: `getUserName` has get, user and name; `SHA256` has sha
 * and 256. `C++` becomes the word "cplusplus", because the index contains no symbols.
 *
 * @param text Original text; capitals mark the boundaries.
 * @returns The subwords of each distinct identifier.
 *
 * @example
 * ```ts
 * import { identifierSubwords } from "./subwords.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(identifierSubwords("parseXMLDocument in C#"), [["parse", "xml", "document"], ["csharp"]]);
 * ```
 */
export function identifierSubwords(text: string): string[][] {
  return subwordsOf(text, namesIn(text));
}

/**
 * Returns the distinct compounds of two words joined by a hyphen, dot or underscore, as one word in lower
 * case, so that `utf-8` matches `utf8`.
 */
export function compoundWords(text: string): string[] {
  return joinedWords(namesIn(text));
}

/** Returns all of {@linkcode identifierSubwords}, separated by spaces, then all of {@linkcode compoundWords}. */
export function subwordLines(text: string): string[] {
  const names = namesIn(text);
  return [...subwordsOf(text, names).map((subwords) => subwords.join(" ")), ...joinedWords(names)];
}

/** The words of a text that have subwords. */
interface Names extends LatinNames {
  readonly split: SplitWord;
}

/** Splits a word at all boundaries, and at those between letters and digits only. */
type SplitWord = (word: string) => readonly (readonly string[])[];

const splitUnicode: SplitWord = (word) => [word.split(boundaries()), word.split(digitBoundaries())];

function namesIn(text: string): Names {
  return isLatin(text)
    ? { ...latinNames(text), split: splitLatin }
    : { mixed: mixedWords(text), compounds: joinedParts(text), split: splitUnicode };
}

function subwordsOf(text: string, { mixed, split }: Names): string[][] {
  const found = new Map<string, string[]>();
  for (const word of new Set(mixed)) {
    if (word.length > MAX_WORD_CHARS || HASH.test(word)) continue;
    for (const parts of split(word)) {
      if (parts.length === 1) continue;
      const subwords = parts.map((subword) => subword.toLowerCase());
      // OAuth and iPhone are words: a single letter belongs to the next subword.
      if ([...subwords[0] ?? ""].length === 1) subwords.splice(0, 2, subwords.slice(0, 2).join(""));
      if (subwords.length > 1 && subwords.length <= MAX_SUBWORDS) found.set(subwords.join(" "), subwords);
    }
    const spelled = spelledGreekSubwords(word);
    if (spelled) found.set(spelled.join(" "), spelled);
  }
  if (!mayHaveSymbolName(text)) return [...found.values()];
  for (const [name, letters = "", symbol = "", dot, net] of text.matchAll(symbolNames())) {
    found.set(name, [
      dot ? SYMBOL_WORDS[dot] + (net as string).toLowerCase() : letters.toLowerCase() + SYMBOL_WORDS[symbol],
    ]);
  }
  return [...found.values()];
}

/** Cheap test that rules out most texts without names such as `C++`, `C#` and `.NET`. */
export function mayHaveSymbolName(text: string): boolean {
  return text.includes("++") || text.includes("#") && HAS_SHARP.test(text) || HAS_DOT_NET.test(text);
}

function joinedWords({ compounds }: Names): string[] {
  const found = new Set<string>();
  for (const parts of compounds) {
    const compound = parts.join("").toLowerCase();
    if (/\p{L}/u.test(compound)) found.add(compound);
  }
  return [...found];
}

function mixedWords(text: string): readonly string[] {
  if (!mixedUnicode().test(text)) return [];
  return Array.from(text.matchAll(alphanumeric()), ([word]) => word).filter((word) =>
    mixedUnicode().test(word)
  );
}

function joinedParts(text: string): LatinNames["compounds"] {
  if (!MAY_HAVE_COMPOUND.test(text)) return [];
  return Array.from(text.matchAll(compounds()), ([, first = "", second = ""]) => [first, second] as const);
}
