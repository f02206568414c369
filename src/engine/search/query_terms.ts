import {
  asciiDigits,
  BIGRAM_SCRIPTS,
  type CompoundPrefixes,
  compoundWords,
  greekSubwords,
  identifierSubwords,
  isStopWord,
  NGRAM_LENGTHS,
  ngramsOf,
  normalizeForSearch,
  TRIGRAM_SCRIPTS,
} from "../../analysis/mod.ts";
import { dateForms } from "./date_forms.ts";
import { numberForms } from "./number_forms.ts";
import { quantityForms } from "./quantity_forms.ts";
import { versionForms } from "./version_forms.ts";

/** A word, n-gram or phrase to rank by. */
export interface QueryTerm {
  /** Normalized words, or single characters of scripts such as CJK, in order. Several form a phrase. */
  readonly words: readonly string[];
  /** 1 per occurrence in the query; less for a subword. */
  weight: number;
  /** Words of the term of which this one is another spelling: a text with that one lacks nothing of the query. */
  readonly alternativeTo?: readonly string[];
  /** Derived terms that match other forms of the word, such as its stems in several languages. */
  readonly forms?: readonly string[];
  /** Prefixes of the derived terms of compounds that contain the word. */
  readonly compounds?: readonly CompoundPrefixes[];
}

/** A quoted or excluded phrase. */
export interface Phrase {
  /** Original text. */
  readonly text: string;
  /** Normalized words, in order. */
  readonly words: readonly string[];
}

/** Maximum number of distinct terms of a query. Further ones are ignored. */
export const MAX_TERMS = 96;
/** Weight of a subword, relative to the compound. */
export const SUBWORD_WEIGHT = 0.25;
/** Weight of a subword if no chunk contains the compound. */
export const LONE_SUBWORD_WEIGHT = 0.5;
/** Weight of the subwords of an identifier as a phrase. */
const SUBWORD_PHRASE_WEIGHT = 0.5;
/** Weight of another spelling of a term. Less than that of a word, which is corrected if no chunk contains it. */
export const ALTERNATIVE_WEIGHT = 0.9;
/** A longer compound, such as a minified line, is searched for by its words only. */
const MAX_COMPOUND_WORDS = 12;

/** A word in normalized text, as the FTS5 tokenizer splits it. */
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{So}\p{Co}\p{Emoji_Modifier}]+/gu;
const BIGRAM_CHARACTER = new RegExp(`^[${BIGRAM_SCRIPTS}]$`, "u");
const TRIGRAM_CHARACTER = new RegExp(`^[${TRIGRAM_SCRIPTS}]$`, "u");
const SYMBOL = /^[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u;
/** A word in capitals, except the operators of other search engines. */
const ACRONYM = /^[^\p{L}\p{N}]*(?!(?:AND|OR|NOT)\P{L}*$)\p{Lu}{2,}[^\p{L}\p{N}]*$/u;
/** Japanese function words are written in hiragana, nouns rarely. */
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
/** Frequent endings of Korean words. */
const HANGUL_ENDINGS: ReadonlySet<string> = new Set(
  ("습니 니다 니까 합니 했습 었습 았습 입니 하는 하고 하다 했다 한다 이다 해요 어요 아요 세요 에서 에게 으로 까지 " +
    "부터 는데 지만").split(" "),
);
/** English endings after an apostrophe. */
const CONTRACTION = /(?<=\p{L})['’](?:s|re|ve|ll|d|m)(?![\p{L}\p{N}])/giu;
/** French and Italian articles and pronouns, joined to the next word by an apostrophe. */
const ELISION =
  /(?<![\p{L}\p{N}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull)['’](?=\p{L})/giu;
/** "can't", "won't", "doesn't": a stop word and "not". */
const NEGATION = /(?<![\p{L}\p{N}])\p{L}+n['’]t(?![\p{L}\p{N}])/giu;

/** A code such as `e4711`, not `25` of the version 2.5. */
const HAS_LETTER_AND_DIGIT = /\p{L}.*\p{N}|\p{N}.*\p{L}/u;

/** Lower-case ASCII words, as in most queries: all other patterns of this module find nothing in them. */
const PLAIN_WORDS = /^[a-z]+(?: [a-z]+)*$/;

/** Whether a text consists of lower-case ASCII words with single spaces. */
export function isPlainWords(text: string): boolean {
  return PLAIN_WORDS.test(text);
}

/** Returns the normalized words of a text, as the index stores them before stemming. */
export function wordsOf(text: string): string[] {
  return Array.from(normalizeForSearch(text).toLowerCase().matchAll(WORD), ([word]) => word);
}

/**
 * Returns the terms of a query, most important first.
 *
 * - A repeated word has a higher weight. Stop words are dropped, unless there are no other words.
 * - Words joined by anything but white space (`snake_case`, `ERR-1234`, `foo.bar()`, a path) are a phrase,
 *   and subwords with less weight; so are identifiers such as `getUserName`.
 * - Text in CJK, Thai and similar scripts becomes overlapping bigrams or trigrams, which match words inside
 *   of sentences without spaces.
 *
 * @param text Text without the quoted phrases.
 * @returns At most {@linkcode MAX_TERMS} terms.
 */
export function queryTerms(text: string, phrases: readonly Phrase[]): QueryTerm[] {
  const contentTerms = new Map<string, QueryTerm>();
  const stopTerms = new Map<string, QueryTerm>();
  const add: AddTerm = (words, weight, isStop = false) => {
    const terms = isStop ? stopTerms : contentTerms;
    const key = words.join(" ");
    const known = terms.get(key);
    if (known) known.weight += weight;
    else if (terms.size < MAX_TERMS) terms.set(key, { words, weight });
  };
  for (const phrase of phrases) addPhrase(phrase, add);
  if (isPlainWords(text)) {
    for (const word of text.split(" ")) add([word], 1, isStopWord(word));
    return [...(contentTerms.size > 0 ? contentTerms : stopTerms).values()];
  }
  const stripped = text.replace(NEGATION, " ").replace(CONTRACTION, "").replace(ELISION, "");
  // A query such as "don't" keeps its words.
  const remaining = /[\p{L}\p{N}]/u.test(stripped) ? stripped : text;
  const isAllCaps = !/\p{Ll}/u.test(text);
  const alternatives: Required<Pick<QueryTerm, "words" | "weight" | "alternativeTo">>[] = [];
  for (const field of remaining.split(/\s+/u)) {
    // IT and US are not stop words.
    const isAcronym = !isAllCaps && ACRONYM.test(field);
    const addTerm: AddTerm = isAcronym ? (words, weight) => add(words, weight) : add;
    for (const group of groupsIn(field)) addGroup(group, addTerm);
    for (const subwords of identifierSubwords(field)) addIdentifier(subwords, addTerm);
    const compounds = compoundWords(field).map((word) => normalizeForSearch(word).trim());
    const alternativeTo = wordsOf(field);
    for (const word of compounds) {
      // The parts of a code mean nothing on their own, unlike those of prose, and the rest of a longer field would be missing.
      const isCode = HAS_LETTER_AND_DIGIT.test(word) && alternativeTo.join("") === word;
      if (isCode) alternatives.push({ words: [word], weight: SUBWORD_WEIGHT, alternativeTo });
      else add([word], SUBWORD_WEIGHT);
    }
    for (const words of otherSpellings(field, alternativeTo)) {
      alternatives.push({ words, weight: ALTERNATIVE_WEIGHT, alternativeTo });
    }
  }
  for (const term of alternatives) {
    const key = term.words.join(" ");
    const known = contentTerms.get(key);
    // Subwords can be another spelling: those of `64GB`.
    if (known ? known.weight < 1 : contentTerms.size < MAX_TERMS) {
      contentTerms.set(key, { ...term, weight: known?.weight ?? term.weight });
    }
  }
  for (const names of greekSubwords(remaining)) {
    addIdentifier(names, add);
    if (names.length > 1) add([names.join("")], SUBWORD_WEIGHT);
  }
  return [...(contentTerms.size > 0 ? contentTerms : stopTerms).values()];
}

/** Returns the words of the other spellings of a number, date, version or quantity. */
function otherSpellings(field: string, words: readonly string[]): string[][] {
  const inAscii = asciiDigits(field);
  return [
    ...numberForms(field),
    ...dateForms(field),
    ...versionForms(field, words),
    ...quantityForms(words),
    ...(inAscii === field ? [] : [wordsOf(inAscii)]),
  ];
}

/** Adds a term. Stop terms are used only if the query has no other terms. */
type AddTerm = (words: readonly string[], weight: number, isStop?: boolean) => void;

function addGroup({ kind, words }: Group, add: AddTerm): void {
  if (kind === "word") return addWords(words, add);
  if (kind !== "symbol" && words.length >= NGRAM_LENGTHS[kind]) {
    for (const ngram of ngramsOf(words, NGRAM_LENGTHS[kind])) add([ngram], 1, isEnding(ngram));
    return;
  }
  const length = Math.min(2, words.length);
  for (let start = 0; start + length <= words.length; start++) add(words.slice(start, start + length), 1);
}

function isEnding(ngram: string): boolean {
  return HIRAGANA.test(ngram) || HANGUL_ENDINGS.has(ngram);
}

function addWords(words: readonly string[], add: AddTerm): void {
  const isCompound = words.length > 1 && words.length <= MAX_COMPOUND_WORDS;
  if (isCompound) add(words, 1, words.every(isStopWord));
  for (const word of words) add([word], isCompound ? SUBWORD_WEIGHT : 1, isStopWord(word));
}

function addPhrase({ text, words }: Phrase, add: AddTerm): void {
  if (words.length > 1) add(words, 1);
  for (const group of groupsIn(text)) {
    if (group.kind !== "word") addGroup(group, add);
    else for (const word of group.words) add([word], words.length > 1 ? SUBWORD_WEIGHT : 1);
  }
}

/** Adds the subwords of an identifier. The identifier itself is a word that has been added already. */
function addIdentifier(subwords: readonly string[], add: AddTerm): void {
  if (subwords.length === 1) return add(subwords, 1);
  const words = subwords.map((subword) => normalizeForSearch(subword));
  add(words, SUBWORD_PHRASE_WEIGHT);
  for (const word of words) add([word], SUBWORD_WEIGHT, isStopWord(word));
}

/** A run of characters of one kind of script, or words with only punctuation between them. */
interface Group {
  readonly kind: "word" | "bigram" | "trigram" | "symbol";
  readonly words: string[];
}

function groupsIn(text: string): Group[] {
  const normalized = normalizeForSearch(text).toLowerCase();
  const groups: Group[] = [];
  let end = 0;
  for (const { 0: word, index } of normalized.matchAll(WORD)) {
    const gap = normalized.slice(end, index);
    const kind = kindOf(word);
    const last = groups.at(-1);
    // Normalization separates the characters of a run by spaces. Any other character between them ends the
    // run.
    const continues = last?.kind === kind && (kind === "word" ? !gap.includes(" ") : /^ *$/.test(gap));
    if (continues) last.words.push(word);
    else groups.push({ kind, words: [word] });
    end = index + word.length;
  }
  return groups;
}

function kindOf(word: string): Group["kind"] {
  if (BIGRAM_CHARACTER.test(word)) return "bigram";
  if (TRIGRAM_CHARACTER.test(word)) return "trigram";
  return SYMBOL.test(word) ? "symbol" : "word";
}
