import type { DatabaseSync } from "node:sqlite";
import { all } from "../store/mod.ts";
import { best, type Hits, type Query } from "../../search/mod.ts";
import { WORD_CHARACTERS } from "../../../analysis/mod.ts";

/** Chunks at the top that are looked at: a search is seldom read further. */
const LOOKED_AT = 30;
/** What all words as they were typed add to a score; by ablation on two collections: docs/evaluation.md. */
const BONUS = 0.3;

/** What all names such as `foo->bar` add, to the index the same as their words. */
const NAME_BONUS = 1;

const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, "u");

/**
 * Raises the scores of the best chunks by the share of the query's words that they have as they were typed. The index has stems only, to
 * which "university" and "universe" are the same; the texts of a few chunks tell them apart, and also those that have one word of the
 * query many times from those that have them all.
 *
 * @param hits Changed in place.
 */
export function preferTypedWords(db: DatabaseSync, { units, names }: Query, { ids, scores }: Hits): void {
  const words = units.filter(({ words, weight }) => words.length === 1 && weight >= 1);
  if (words.length + names.length === 0) return;
  const top = new Set<number>();
  let least = Infinity;
  for (const { id, score } of best({ ids, scores }, LOOKED_AT)) {
    top.add(id);
    least = Math.min(least, score);
  }
  if (top.size < 2) return;
  const texts = textsOf(db, top);
  const whole = Math.max(1, words.reduce((sum, { weight }) => sum + weight, 0));
  for (let i = 0; i < ids.length; i++) {
    const score = scores[i] as number;
    if (score < least || !top.has(ids[i] as number)) continue;
    const text = texts.get(ids[i] as number) ?? "";
    const typed = words.reduce(
      (sum, { words: [word = ""], weight }) => sum + (has(text, word) ? weight : 0),
      0,
    );
    const named = names.filter((name) => has(text, name)).length;
    const bonus = BONUS * typed / whole + NAME_BONUS * named / Math.max(1, names.length);
    scores[i] = score * (1 + bonus);
  }
}

/** Titles, headings and texts in the form of the index. */
function textsOf(db: DatabaseSync, chunks: ReadonlySet<number>): Map<number, string> {
  const rows = all<{ id: number; text: string }>(
    db,
    `SELECT s.id, s.title || char(10) || s.heading || char(10) || s.body AS text
       FROM json_each(?) j CROSS JOIN chunk_search s ON s.id = j.value`,
    JSON.stringify([...chunks]),
  );
  return new Map(rows.map(({ id, text }) => [id, text.toLowerCase()]));
}

/** Whether a text has a word as a whole. */
function has(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isInWord(text, at - 1) && !isInWord(text, at + word.length)) return true;
  }
  return false;
}

function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return WORD_CHARACTER.test(text[at] ?? "");
}
