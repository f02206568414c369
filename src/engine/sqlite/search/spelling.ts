import { normalizeForSearch, stems } from "../../../analysis/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import type { Unit } from "../../search/mod.ts";
import type { RankedWords } from "./rank.ts";

/** Shorter words have too many neighbours, and longer ones are no words. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 32;
/** From this length on two mistakes are looked for, and one before. */
const LONG = 8;
/** Words of one query that are looked for in other spellings. */
const MAX_CORRECTED = 4;
/** A shorter beginning is that of too many words. */
const MIN_BEGINNING = 5;
/** Chunks below which a search has found too little. */
const LITTLE = 10;
/** What a word of another spelling counts beside one as it was typed. */
const CORRECTED_WEIGHT = 0.5;

/** Only words of letters are misspelled; numbers and codes are what they are. */
const LETTERS = /^\p{L}+$/u;

/** A word of the query, and the term of the index that it likely stands for. */
export interface Correction {
  readonly word: string;
  readonly term: string;
  /** What the term counts. */
  readonly weight: number;
}

/**
 * What words that no chunk has likely stand for, as far as the index has anything near, when the search has found too little: hardly
 * any chunk, or nothing for a third of the words. One unknown name in a long question is no mistake to mend.
 *
 * @param found Chunks that have other words of the query.
 */
export function correct(
  { count, missing }: RankedWords,
  found: number,
  reader: PostingsReader,
): Correction[] {
  if (found >= LITTLE && missing.length * 3 < count) return [];
  return missing.slice(0, MAX_CORRECTED).flatMap(({ word, stem, weight }) => {
    const term = nearestTerm(stem, reader, 1) ?? beginningOf(word, reader) ?? longerTerm(word, reader) ??
      nearestTerm(stem, reader, 2);
    return term === undefined ? [] : [{ word, term, weight: weight * CORRECTED_WEIGHT }];
  });
}

/**
 * A word of the texts that the index has as this term, to be shown in its place; the term itself if there is none.
 *
 * @param texts Where the term was found.
 */
export function wordOf(term: string, texts: readonly string[]): string {
  const beginning = [...term].slice(0, 3).join("");
  for (const text of texts) {
    const words = new Set(normalizeForSearch(text).toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu));
    const likely = [...words].filter((word) => word.startsWith(beginning));
    const found = stems(likely).findIndex(([stem]) => stem === term);
    if (found >= 0) return likely[found] as string;
  }
  return term;
}

/** Letters at the end of a word that are no part of its mistake. */
const SAME_ENDING = 3;

/**
 * Words of a query that were found though they are misspelled, because their stem is right ("embeding"): no text has them, but
 * one with the same stem and ending that is a letter away.
 *
 * @param texts What was found.
 */
export function misspelled(
  units: readonly Unit[],
  texts: readonly string[],
): { readonly word: string; readonly used: string }[] {
  const found: { word: string; used: string }[] = [];
  const all = texts.join("\n").toLowerCase();
  for (const { words: [word = ""], weight } of units) {
    if (weight < 1 || word.length < 2 * SAME_ENDING || !/^[a-z]+$/.test(word) || all.includes(word)) continue;
    const alike = new RegExp(`(?<![a-z])${word.slice(0, 1)}[a-z]+${word.slice(-SAME_ENDING)}(?![a-z])`, "g");
    const near = new Set(
      Array.from(all.matchAll(alike), ([each]) => each).filter((each) =>
        alignmentDistance([...word], [...each], 1) === 1
      ),
    );
    const [stem] = stems([word]).flat();
    const used = [...near].find((each) => stems([each]).flat()[0] === stem);
    if (used !== undefined) found.push({ word, used });
  }
  return found;
}

/**
 * The term of the index that a word most likely stands for: the nearest by the optimal string alignment distance (Damerau
 * 1964: one letter more, less or other, or two exchanged), and of those the most frequent. The first letter is taken to be
 * right, as it nearly always is; so a small part of the index is looked at.
 *
 * @param stem A word as the index would have it.
 * @param limit Most mistakes; in a short word no more than one is looked for.
 * @returns Nothing when no term is near.
 */
function nearestTerm(stem: string, reader: PostingsReader, limit: number): string | undefined {
  const letters = [...stem];
  if (letters.length < MIN_LENGTH || letters.length > MAX_LENGTH || !LETTERS.test(stem)) return undefined;
  const most = Math.min(limit, letters.length >= LONG ? 2 : 1);
  const near = reader.similarTerms(stem, most)
    .filter((term) => LETTERS.test(term))
    .map((term) => ({ term, distance: alignmentDistance(letters, [...term], most) }));
  const least = Math.min(...near.map(({ distance }) => distance));
  if (least > most) return undefined;
  return mostFrequent(near.filter(({ distance }) => distance === least).map(({ term }) => term), reader);
}

/**
 * The longest term of the index that a word begins with, if it is most of the word: of one with a mistake in its ending ("relevacne")
 * no ending is taken off, so that it is far from what the index has ("relev"). It may be the word itself: "embed" has the stem "emb",
 * and "embedding" the stem "embed".
 */
function beginningOf(word: string, reader: PostingsReader): string | undefined {
  const letters = [...word];
  if (letters.length > MAX_LENGTH || !LETTERS.test(word)) return undefined;
  const least = Math.max(MIN_BEGINNING, Math.floor(letters.length / 2) + 1);
  for (let length = letters.length; length >= least; length--) {
    const term = letters.slice(0, length).join("");
    if (reader.term(term).ids.length > 0) return term;
  }
  return undefined;
}

/** The most frequent term that begins with a word: somebody types seven digits of a hash. */
function longerTerm(word: string, reader: PostingsReader): string | undefined {
  if (word.length < MIN_BEGINNING || word.length > MAX_LENGTH) return undefined;
  return mostFrequent(reader.termsWithPrefix(word), reader);
}

/** The term that most chunks have; undefined when none has any of them. */
function mostFrequent(terms: readonly string[], reader: PostingsReader): string | undefined {
  return terms
    .map((term) => ({ term, matches: reader.term(term).ids.length }))
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => b.matches - a.matches || b.term.length - a.term.length || (a.term < b.term ? -1 : 1))[0]
    ?.term;
}

/**
 * The optimal string alignment distance of two words, or any number above `most`.
 *
 * @example
 * ```ts
 * import { alignmentDistance } from "./spelling.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(alignmentDistance([..."retreival"], [..."retrieval"], 2), 1);
 * ```
 */
export function alignmentDistance(a: readonly string[], b: readonly string[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      }
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    [beforeLast, last] = [last, row];
  }
  return last[b.length] as number;
}
