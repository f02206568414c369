import {
  BIGRAM_SCRIPTS,
  compoundWords,
  identifierSubwords,
  isStopWord,
  NGRAM_LENGTHS,
  ngramsOf,
  normalizeForSearch,
  TRIGRAM_SCRIPTS,
} from "../../analysis/mod.ts";

/** Something to look for: a word, or words that must follow one another. */
export interface Unit {
  /** Normalised words (or single characters of CJK and the like), in order. One: a word. */
  readonly words: readonly string[];
  /** How often the query says it, or a part of that. */
  weight: number;
}

/** A query, read. */
export interface Query {
  /** What to look for; the more of it a chunk has, the better. */
  readonly units: readonly Unit[];
  /** Quoted: every result has each of these, word for word. */
  readonly phrases: readonly Phrase[];
  /** Excluded: no result has any of these. */
  readonly excluded: readonly Phrase[];
  /** What was asked, without the syntax and what is excluded: what a model is to make a vector of. */
  readonly meaning: string;
  /** What has punctuation inside, such as `foo->bar`, as the index has it: the index itself knows its words only. */
  readonly names: readonly string[];
}

/** Words that follow one another, as they were typed and as the index has them. */
export interface Phrase {
  readonly text: string;
  readonly words: readonly string[];
}

/** Different words and phrases of one query; what comes after them is not looked for. */
export const MAX_UNITS = 96;
/** Quoted phrases of one query, and exclusions; what comes after them is read as plain words. */
const MAX_PHRASES = 16;
/** Other words up to which a quotation is one. Among more words it is prose, where quotation marks mean much else. */
const MAX_WORDS_BESIDE = 4;
/** A longer chain of words (a minified line, a base64 text) is looked for by its words alone. */
const MAX_PHRASE_WORDS = 12;
/** A longer quotation is looked for by its beginning. */
const MAX_QUOTED_WORDS = 64;
/** What a part of a compound counts beside the compound itself, which counts 1. */
export const PART_WEIGHT = 0.25;
/** And what it counts when no chunk has the compound. */
export const LONE_PART_WEIGHT = 0.5;

/** Names of one query that are told from others with the same words. */
const MAX_NAMES = 16;
const OUTER_MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** What prose has inside of words is no mark of a name: hyphens, apostrophes, slashes, the dots of "e.g.". */
const INNER_MARK = /[\p{L}\p{N}]{2}(?:[^\p{L}\p{N}\p{M}\s'’,/\\–—-]|->)+[\p{L}\p{N}]{2}/u;

/** A word, as FTS5's tokenizer sees one in normalised text. */
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{So}\p{Co}\p{Emoji_Modifier}]+/gu;
const PAIRED = new RegExp(`^[${BIGRAM_SCRIPTS}]$`, "u");
const TRIPLED = new RegExp(`^[${TRIGRAM_SCRIPTS}]$`, "u");
const SYMBOL = /^[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u;
/** A word of capitals alone, but for the operators of other search engines. */
const ACRONYM = /^[^\p{L}\p{N}]*(?!(?:AND|OR|NOT)\P{L}*$)\p{Lu}{2,}[^\p{L}\p{N}]*$/u;
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
 * The two things that are syntax. A quotation begins where a word could and ends where one could, so inches and apostrophes are
 * none; an exclusion is one hyphen before a word or quotation and behind white space.
 */
const SYNTAX =
  /(?<=^|[\s(])(?<minus>-?)["“”„«](?<quoted>[^"“”„«»]+)["“”»](?=$|[\s),.;:!?])|(?<=^|\s)-(?<excluded>[\p{L}\p{N}]\S*)/gu;

/**
 * Reads a query. It is cut into words by the rules of the index.
 *
 * - `"Quoted words"` must be in every result, one after another as they stand; `-word` and `-"quoted words"` in none.
 *   Nothing else is syntax. A query that only excludes is read as plain words, and so is a quotation among
 *   more than {@linkcode MAX_WORDS_BESIDE} others.
 * - A word said twice counts twice. Stop words are dropped, unless there is nothing else.
 * - What is joined by anything but white space (`snake_case`, `ERR-1234`, `foo.bar()`, a path) is looked for as a
 *   phrase, and by its parts with less weight; so is a name such as `getUserName`.
 * - A run of CJK, Thai and the like is looked for by overlapping pairs or triples of its characters, so that a word in a
 *   sentence without spaces is found, and so is a sentence by one that shares words with it.
 *
 * @param given Any string.
 * @returns At most {@linkcode MAX_UNITS} units; none when there is no word in the query.
 */
export function parseQuery(given: string): Query {
  // White space to JavaScript, and nothing at all to the index.
  const text = given.replaceAll("\ufeff", "");
  const phrases: Phrase[] = [];
  const excluded: Phrase[] = [];
  /** The query without what is syntax, quotations aside: where they stood there is a NUL, which is in no word. */
  const plain = text.replaceAll("\0", " ").replace(SYNTAX, (match, ...rest) => {
    const { minus, quoted, excluded: word } = rest.at(-1) as Record<string, string | undefined>;
    const phrase = readPhrase(quoted ?? word ?? "");
    const isPhrase = quoted !== undefined && minus !== "-";
    const into = isPhrase ? phrases : excluded;
    if (phrase.words.length === 0 || into.length === MAX_PHRASES) return match;
    into.push(phrase);
    return isPhrase ? " \0 " : " ";
  });
  const beside = unitsOf(plain.replaceAll("\0", " "), []);
  if (beside.length + phrases.length === 0 && excluded.length > 0) {
    return { units: unitsOf(text, []), phrases: [], excluded: [], meaning: text, names: namesIn(text) };
  }
  let quotation = 0;
  const meaning = plain.replaceAll("\0", () => phrases[quotation++]?.text ?? "").replace(/\s+/g, " ").trim();
  const isProse = plain.split(/\s+/u).filter(isTelling).length > MAX_WORDS_BESIDE;
  const names = namesIn(meaning);
  if (phrases.length === 0 || isProse) {
    return { units: unitsOf(meaning, []), phrases: [], excluded, meaning, names };
  }
  return { units: unitsOf(plain.replaceAll("\0", " "), phrases), phrases, excluded, meaning, names };
}

function namesIn(text: string): string[] {
  const names = text.split(/\s+/u).map((field) =>
    normalizeForSearch(field).toLowerCase().replace(OUTER_MARKS, "")
  );
  return [...new Set(names.filter((name) => INNER_MARK.test(name)))].slice(0, MAX_NAMES);
}

function readPhrase(text: string): Phrase {
  const words = [...normalizeForSearch(text).toLowerCase().matchAll(WORD)].map(([word]) => word);
  const [name] = identifierSubwords(text);
  // C++ alone is the word that the index has for it, and not any C.
  if (words.length === 1 && name?.length === 1) return { text: text.trim(), words: name };
  return { text: text.trim(), words: words.slice(0, MAX_QUOTED_WORDS) };
}

/** Whether what stands between white space is more than punctuation or a stop word. */
function isTelling(field: string): boolean {
  return /[\p{L}\p{N}]/u.test(field) && !isStopWord(field.toLowerCase());
}

function unitsOf(text: string, phrases: readonly Phrase[]): Unit[] {
  const telling = new Map<string, Unit>();
  const common = new Map<string, Unit>();
  const add: Add = (words, weight, isCommon = false) => {
    const units = isCommon ? common : telling;
    const key = words.join(" ");
    const known = units.get(key);
    if (known) known.weight += weight;
    else if (units.size < MAX_UNITS) units.set(key, { words, weight });
  };
  for (const { text: quoted, words } of phrases) addQuotation(quoted, words, add);
  const plain = text.replace(NEGATION, " ").replace(CONTRACTION, "").replace(ELISION, "");
  // A query of nothing but "don't" is still a query.
  const isShouted = !/\p{Ll}/u.test(text);
  for (const field of (/[\p{L}\p{N}]/u.test(plain) ? plain : text).split(/\s+/u)) {
    // IT and US are no stop words.
    const addField: Add = !isShouted && ACRONYM.test(field) ? (words, weight) => add(words, weight) : add;
    for (const group of groupsOf(normalizeForSearch(field).toLowerCase())) addGroup(group, addField);
    for (const words of identifierSubwords(field)) addName(words, addField);
    for (const word of compoundWords(field)) add([normalizeForSearch(word).trim()], PART_WEIGHT);
  }
  return [...(telling.size > 0 ? telling : common).values()];
}

/** Adds to the units; what says nothing by itself counts when the query has nothing else. */
type Add = (words: readonly string[], weight: number, isCommon?: boolean) => void;

function addGroup({ kind, words }: Group, add: Add): void {
  if (kind === "word") return addWords(words, add);
  if (kind !== "symbol" && words.length >= NGRAM_LENGTHS[kind]) {
    for (const gram of ngramsOf(words, NGRAM_LENGTHS[kind])) add([gram], 1, HIRAGANA.test(gram));
    return;
  }
  const length = Math.min(2, words.length);
  for (let start = 0; start + length <= words.length; start++) add(words.slice(start, start + length), 1);
}

function addWords(words: readonly string[], add: Add): void {
  const isCompound = words.length > 1 && words.length <= MAX_PHRASE_WORDS;
  if (isCompound) add(words, 1, words.every(isStopWord));
  for (const word of words) add([word], isCompound ? PART_WEIGHT : 1, isStopWord(word));
}

function addQuotation(text: string, words: readonly string[], add: Add): void {
  if (words.length > 1) add(words, 1);
  for (const group of groupsOf(normalizeForSearch(text).toLowerCase())) {
    if (group.kind !== "word") addGroup(group, add);
    else for (const word of group.words) add([word], words.length > 1 ? PART_WEIGHT : 1);
  }
}

/** The name itself is a word, and was added as one. */
function addName(parts: readonly string[], add: Add): void {
  if (parts.length === 1) return add(parts, 1);
  const words = parts.map((part) => normalizeForSearch(part));
  add(words, LONE_PART_WEIGHT);
  for (const word of words) add([word], PART_WEIGHT, isStopWord(word));
}

/** Words that belong together: characters of one run, or words with only punctuation between them. */
interface Group {
  readonly kind: "word" | "bigram" | "trigram" | "symbol";
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
  if (PAIRED.test(word)) return "bigram";
  if (TRIPLED.test(word)) return "trigram";
  return SYMBOL.test(word) ? "symbol" : "word";
}
