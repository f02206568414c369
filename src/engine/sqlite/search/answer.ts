import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type { SearchRequest, SearchResponse, SearchResult } from "../../../contract/mod.ts";
import { encodeCursor } from "../../knowledge_base/mod.ts";
import { fit, type Mode, type Query, type Ranking, snippetsFor } from "../../search/mod.ts";
import { filtersApplied } from "./filters.ts";
import type { PostingsReader } from "../index/mod.ts";
import { readResults } from "./results.ts";
import { type Correction, misspelled, wordOf } from "./spelling.ts";

/** What a search has come to. */
export interface Outcome {
  readonly request: z.output<typeof SearchRequest>;
  readonly query: Query;
  /** What tells the search from others, for its cursors. */
  readonly identity: string;
  /** Results that have been answered before. */
  readonly offset: number;
  readonly ranking: Ranking;
  /** How it really ran. */
  readonly mode: Mode;
  /** Of a search by words. */
  readonly corrections: readonly Correction[] | undefined;
  readonly warnings: readonly string[];
}

/** Writes one page of what was found, and what is to be said of it. */
export function writeAnswer(db: DatabaseSync, reader: PostingsReader, outcome: Outcome): SearchResponse {
  const { request: { top, detail, max_tokens }, query, identity, offset, ranking, mode } = outcome;
  const page = ranking.top(offset + top).slice(offset);
  const terms = (outcome.corrections ?? []).map(({ term }) => ({ words: [term], weight: 1 }));
  const snippet = snippetsFor(
    [...query.units, ...terms],
    (stem) => reader.idf(reader.term(stem)),
  );
  const results = readResults(db, page, { detail, snippet });
  const fitting = max_tokens === undefined ? undefined : fit(results, max_tokens, snippet);
  const answered = fitting?.results ?? results;
  // What is gone since it was ranked counts as answered, what did not fit does not.
  const omitted = results[answered.length];
  const next = offset + (omitted ? page.findIndex(({ id }) => id === omitted.chunk_id) : page.length);
  const hasMore = next < ranking.total && page.length > 0;
  const warning = warningOf(outcome);
  const corrections = correctionsIn(results, outcome);
  return {
    mode,
    results: answered,
    total: ranking.total,
    next_cursor: hasMore ? encodeCursor([identity, next, mode]) : null,
    ...(warning === "" ? {} : { warning }),
    ...(corrections.length > 0 ? { corrections } : {}),
    ...(fitting && (fitting.omitted > 0 || fitting.textCut)
      ? { cut: { omitted: fitting.omitted, text_cut: fitting.textCut } }
      : {}),
    filters_applied: {
      ...filtersApplied(outcome.request),
      ...(query.phrases.length > 0 ? { phrases: query.phrases.map(({ text }) => text) } : {}),
      ...(query.excluded.length > 0 ? { excluded: query.excluded.map(({ text }) => text) } : {}),
    },
  };
}

function warningOf({ ranking, query, warnings }: Outcome): string {
  const isQuoted = ranking.total === 0 && query.phrases.length > 0;
  return [
    ...warnings,
    ...(isQuoted
      ? ["Nothing has the quoted words like that: leave out the quotation marks to find them apart."]
      : []),
  ].join(" ");
}

/** Words of the query that were found in another spelling, as it stands in the results. */
function correctionsIn(
  results: readonly SearchResult[],
  { corrections, query }: Outcome,
): { word: string; used: string }[] {
  if (!corrections || results.length === 0) return [];
  const texts = results.flatMap((
    { text, title, heading_path },
  ) => [text, title ?? "", ...heading_path ?? []]);
  return [
    ...corrections.map(({ word, term }) => ({ word, used: wordOf(term, texts) })),
    ...misspelled(query.units, texts),
  ];
}
