import type { EngineClient } from "../client/mod.ts";
import { MAX_TOP, type SearchRequest, type SearchResult } from "../contract/mod.ts";
import { RANKING_DEPTH } from "./metrics.ts";

/** Maximum number of result pages: an engine without `per_document` may fill a page with one document. */
const MAX_PAGES = 6;

/** Returns the keys under which the judgements may contain the document of a result. */
export type KeysOf = (result: SearchResult) => readonly string[];

/** Result of {@linkcode runQuery}. */
export interface QueryRun {
  /** Document keys, ranked by the highest chunk of each; at most {@linkcode RANKING_DEPTH}. */
  readonly ranking: readonly string[];
  /** Latency of the first page, in milliseconds. */
  readonly ms: number;
  /** Search mode that the engine reported. */
  readonly mode: string | undefined;
  /** Warning that the engine reported. */
  readonly warning: string | undefined;
}

/** Runs a query and collects the ranked documents, page by page. */
export async function runQuery(
  client: EngineClient,
  query: string,
  mode: SearchRequest["mode"],
  keysOf: KeysOf,
): Promise<QueryRun> {
  const request: SearchRequest = { query, top: MAX_TOP, per_document: 1, ...(mode && { mode }) };
  const started = performance.now();
  let page = await client.search(request);
  const ms = performance.now() - started;
  const first = page;
  const ranking = new Set<string>();
  for (let pages = 1;; pages++) {
    for (const result of page.results) {
      for (const key of keysOf(result)) ranking.add(key);
    }
    if (ranking.size >= RANKING_DEPTH || page.next_cursor == null || pages === MAX_PAGES) break;
    page = await client.search({ ...request, cursor: page.next_cursor });
  }
  return {
    ranking: [...ranking].slice(0, RANKING_DEPTH),
    ms,
    mode: first.mode ?? undefined,
    warning: first.warning ?? undefined,
  };
}
