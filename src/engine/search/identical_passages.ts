import type { ScoredChunk } from "./hits.ts";
import type { Passages, PassageText } from "./passages.ts";
import type { Ranking } from "./ranking.ts";

/** Minimum number of words of a passage. The title and headings tell shorter ones apart. */
const MIN_WORDS = 4;
/** Minimum number of chunks that are compared with each other. */
const MIN_COMPARED = 20;
/** Maximum number. Further chunks are results of their own, whatever their text. */
const MAX_COMPARED = 2000;

/** The first passage with a text. */
interface FirstPassage {
  readonly chunk: number;
  readonly text: PassageText;
}

/** Passages by a part of their text: the only one with it, or several by the next part. */
type PassagesByPart = Map<string, FirstPassage | PassagesByPart>;

/** A ranking without the chunks that repeat the text of a higher one. */
export interface DistinctRanking extends Ranking {
  /** Returns the chunks known to have the same text as a result, in order. */
  copiesOf(chunk: number): readonly number[];
}

/**
 * Collapses passages with the same text, such as a license in the header of many files, into the highest one.
 *
 * Compares as many chunks as a page needs, so that `total` counts copies further down; the order does not depend
 * on how many were compared.
 *
 * @example
 * ```ts
 * import { collapseIdentical } from "./identical_passages.ts";
 * import { rankingOfHits } from "./ranking.ts";
 * import { assertEquals } from "@std/assert";
 * const ranking = rankingOfHits({ ids: Uint32Array.of(1, 2, 3), scores: Float64Array.of(3, 2, 1) });
 * const texts = ["", "same", "other", "same"];
 * const { top, copiesOf } = collapseIdentical(ranking, {
 *   wordCountOf: () => 9,
 *   textsOf: (ids) => new Map(ids.map((id) => [id, (part) => part === 0 ? texts[id] : undefined])),
 *   wordsOf: () => undefined,
 *   changeTimesOf: () => new Map(),
 * });
 * assertEquals([top(10).map(({ id }) => id), copiesOf(1)], [[1, 2], [3]]);
 * ```
 */
export function collapseIdentical(ranking: Ranking, passages: Passages): DistinctRanking {
  const distinct: ScoredChunk[] = [];
  const copies = new Map<number, number[]>();
  /** Results with different texts, as far as texts have been read. */
  const passagesByPart: PassagesByPart = new Map();
  /** The only chunk with a number of words. Its text is read when there is a second one. */
  const alone = new Map<number, number>();
  const sharedCounts = new Set<number>();
  let compared = 0;
  let copied = 0;

  function compare(count: number): void {
    const next = ranking.top(count).slice(compared);
    compared += next.length;
    const unread: number[] = [];
    for (const { id } of next) {
      const words = passages.wordCountOf(id);
      if (words < MIN_WORDS) continue;
      const other = alone.get(words);
      if (other !== undefined) unread.push(other);
      if (other !== undefined || sharedCounts.has(words)) {
        alone.delete(words);
        sharedCounts.add(words);
        unread.push(id);
      } else alone.set(words, id);
    }
    const texts = unread.length > 0 ? passages.textsOf(unread) : new Map<number, never>();
    const firsts = new Map<number, number>();
    // Those of earlier calls that were alone until now.
    for (const id of unread) {
      const text = texts.get(id);
      if (text !== undefined) firsts.set(id, firstWith({ chunk: id, text }, passagesByPart, 0));
    }
    for (const chunk of next) {
      const first = firsts.get(chunk.id) ?? chunk.id;
      if (first === chunk.id) distinct.push(chunk);
      else {
        copied++;
        const known = copies.get(first);
        if (known) known.push(chunk.id);
        else copies.set(first, [chunk.id]);
      }
    }
  }

  function top(count: number): ScoredChunk[] {
    while (distinct.length < count) {
      const before = compared;
      compare(Math.min(Math.max(count, MIN_COMPARED, 2 * compared), MAX_COMPARED));
      if (compared === before) break;
    }
    if (distinct.length >= count || compared < MAX_COMPARED) return distinct.slice(0, count);
    const others = ranking.top(count + copied).slice(compared);
    return [...distinct, ...others].slice(0, count);
  }

  return {
    get total() {
      return ranking.total - copied;
    },
    weak: ranking.weak,
    top,
    hits: () => ranking.hits(),
    copiesOf: (chunk) => copies.get(chunk) ?? [],
  };
}

/** Returns the first passage with the same text, which may be this one. */
function firstWith(passage: FirstPassage, known: PassagesByPart, part: number): number {
  const key = passage.text(part) ?? "";
  const other = known.get(key);
  if (other === undefined) {
    known.set(key, passage);
    return passage.chunk;
  }
  // Comparing each with all others would take seconds if thousands start with the same lines.
  let next = other;
  if (!(next instanceof Map)) {
    const nextKey = next.text(part + 1);
    if (nextKey === undefined) return next.chunk;
    known.set(key, next = new Map([[nextKey, next]]));
  }
  return firstWith(passage, next, part + 1);
}
