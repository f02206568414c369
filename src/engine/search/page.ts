import type { ScoredChunk } from "./hits.ts";
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
}

/** Selects the page of a ranking that a search requests. */
export function selectPage(ranking: Ranking, { request, offset }: SearchPlan): SearchPage {
  return { hits: ranking.top(offset + request.top).slice(offset), offset, total: ranking.total };
}

/**
 * Returns the offset of the next page, or undefined after the last one.
 *
 * @param firstOmitted Chunk with which the next page starts, if the token budget omitted results. A chunk
 * that was deleted after ranking counts as shown.
 */
export function nextOffset({ hits, offset, total }: SearchPage, firstOmitted?: number): number | undefined {
  const shown = firstOmitted === undefined ? hits.length : hits.findIndex(({ id }) => id === firstOmitted);
  const next = offset + shown;
  return next < total && hits.length > 0 ? next : undefined;
}
