import type { ScoredChunk } from "./hits.ts";
import { COMPARED_RESULTS } from "./near_duplicates.ts";
import type { SearchPlan } from "./plan.ts";
import type { Ranking } from "./ranking.ts";

/** The chunks of one page of results. */
export interface SearchPage {
  /** Hits of the page, in order. */
  readonly hits: readonly ScoredChunk[];
  /** Number of results on previous pages. */
  readonly offset: number;
  /** Number of results on all pages. */
  readonly total: number;
  /** Whether no result follows the page. */
  readonly isLast: boolean;
  /** Number of chunks that are left out because they are far below the best one. */
  readonly weak: number;
}

/**
 * Selects the page of a ranking that a search requests.
 *
 * @param options.reorder Changes the order of the first {@linkcode COMPARED_RESULTS} results. Returns the first `count`.
 */
export function selectPage(
  ranking: Ranking,
  { request, offset }: SearchPlan,
  { reorder }: {
    readonly reorder: (ranked: readonly ScoredChunk[], count: number) => readonly ScoredChunk[];
  },
): SearchPage {
  const end = offset + request.top;
  // One more shows whether there is a next page.
  const count = Math.max(end + 1, offset < COMPARED_RESULTS ? COMPARED_RESULTS : 0);
  const ranked = ranking.top(count);
  const isComplete = ranked.length < count;
  return {
    hits: (offset < COMPARED_RESULTS ? reorder(ranked, end) : ranked).slice(offset, end),
    offset,
    total: isComplete ? ranked.length : ranking.total,
    isLast: ranked.length <= end,
    weak: ranking.weak,
  };
}

/**
 * Returns the offset of the next page, or undefined after the last one.
 *
 * @param firstOmitted Chunk with which the next page starts, if the token budget omitted results. A chunk
 * that was deleted after ranking counts as shown.
 */
export function nextOffset({ hits, offset, isLast }: SearchPage, firstOmitted?: number): number | undefined {
  if (firstOmitted !== undefined) return offset + hits.findIndex(({ id }) => id === firstOmitted);
  return isLast || hits.length === 0 ? undefined : offset + hits.length;
}
