import { toSearchText } from "./analyze.ts";
import { isStopWord } from "./stop_words.ts";

/** Something to look for: a word, or words that must follow one another. */
export interface Unit {
  /** Normalised words (or single characters of CJK and the like), in order. One: a word. */
  readonly words: readonly string[];
  /** How often the query says it, or a part of that. */
  weight: number;
}

/** Different words and phrases of one query; what comes after them is not looked for. */
export const MAX_UNITS = 96;
/** A longer chain of words (a minified line, a base64 text) is looked for by its words alone. */
const MAX_PHRASE_WORDS = 12;
/** What a part of a compound counts beside the compound itself, which counts 1. */
export const PART_WEIGHT = 0.25;
/** And what it counts when no chunk has the compound. */
export const LONE_PART_WEIGHT = 0.5;

/** How many characters of a run are looked for as one phrase. */
const GRAM_LENGTHS = { paired: 2, tripled: 3, symbol: 2 } as const;

/** A word, as FTS5's tokenizer sees one in normalised text. */
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{So}\p{Co}\p{Emoji_Modifier}]+/gu;
/** Scripts whose words are found two characters at a time… */
const PAIRED =
  /^[\p{Script_Extensions=Han}\p{Script_Extensions=Hira}\p{Script_Extensions=Kana}\p{Script_Extensions=Bopo}\p{Script_Extensions=Hang}\p{Script_Extensions=Yi}]$/u;
/** …and those with fewer characters and longer words, found three at a time. */
const TRIPLED =
  /^[\p{Script_Extensions=Thai}\p{Script_Extensions=Laoo}\p{Script_Extensions=Khmr}\p{Script_Extensions=Mymr}\p{Script_Extensions=Lana}\p{Script_Extensions=Tale}\p{Script_Extensions=Talu}]$/u;
const SYMBOL = /^[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u;
/** Japanese grammar is written in hiragana, nouns hardly ever. */
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
/** The endings that an apostrophe cuts off in English. */
const CONTRACTION = /(?<=\p{L})['’](?:s|re|ve|ll|d|m)(?![\p{L}\p{N}])/giu;
/** And the articles and pronouns that it joins to the next word in French and Italian. */
const ELISION =
  /(?<![\p{L}\p{N}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull)['’](?=\p{L})/giu;
/** can't, won't, doesn't: a stop word and "not". */
const NEGATION = /(?<![\p{L}\p{N}])\p{L}+n['’]t(?![\p{L}\p{N}])/giu;

/**
 * Reads a query. Nothing in it is syntax: it is cut into words by the rules of the index.
 *
 * - A word said twice counts twice. Stop words are dropped, unless there is nothing else.
 * - What is joined by anything but white space (`snake_case`, `ERR-1234`, `foo.bar()`, a path) is looked for as a
 *   phrase, and by its parts with less weight.
 * - A run of CJK, Thai and the like is looked for by overlapping pairs or triples of its characters, so that a word in a
 *   sentence without spaces is found, and so is a sentence by one that shares words with it.
 *
 * @param query Any string.
 * @returns At most {@linkcode MAX_UNITS} units; none when there is no word in the query.
 */
export function parseQuery(query: string): Unit[] {
  const telling = new Map<string, Unit>();
  const common = new Map<string, Unit>();
  const add: Add = (words, weight, isCommon = false) => {
    const units = isCommon ? common : telling;
    const key = words.join(" ");
    const known = units.get(key);
    if (known) known.weight += weight;
    else if (units.size < MAX_UNITS) units.set(key, { words, weight });
  };
  const plain = query.replace(NEGATION, " ").replace(CONTRACTION, "").replace(ELISION, "");
  // A query of nothing but "don't" is still a query.
  for (const field of (/[\p{L}\p{N}]/u.test(plain) ? plain : query).split(/\s+/u)) {
    for (const group of groupsOf(toSearchText(field).toLowerCase())) addGroup(group, add);
  }
  return [...(telling.size > 0 ? telling : common).values()];
}

/** Adds to the units; what says nothing by itself counts when the query has nothing else. */
type Add = (words: readonly string[], weight: number, isCommon?: boolean) => void;

function addGroup({ kind, words }: Group, add: Add): void {
  if (kind === "word") {
    const compound = words.length > 1 && words.length <= MAX_PHRASE_WORDS;
    if (compound) add(words, 1, words.every(isStopWord));
    for (const word of words) add([word], compound ? PART_WEIGHT : 1, isStopWord(word));
    return;
  }
  const length = Math.min(GRAM_LENGTHS[kind], words.length);
  for (let start = 0; start + length <= words.length; start++) {
    const gram = words.slice(start, start + length);
    add(gram, 1, length > 1 && HIRAGANA.test(gram.join("")));
  }
}

/** Words that belong together: characters of one run, or words with only punctuation between them. */
interface Group {
  readonly kind: keyof typeof GRAM_LENGTHS | "word";
  readonly words: string[];
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const gap = text.slice(end, index);
    const kind = kindOf(word);
    const last = groups.at(-1);
    // Normalisation has put the characters of a run between spaces; any mark between them ends the run.
    const joined = last?.kind === kind && (kind === "word" ? !gap.includes(" ") : /^ *$/.test(gap));
    if (joined) last.words.push(word);
    else groups.push({ kind, words: [word] });
    end = index + word.length;
  }
  return groups;
}

function kindOf(word: string): Group["kind"] {
  if (PAIRED.test(word)) return "paired";
  if (TRIPLED.test(word)) return "tripled";
  return SYMBOL.test(word) ? "symbol" : "word";
}
