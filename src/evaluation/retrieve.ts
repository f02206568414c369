import type { EngineClient } from "../client/mod.ts";
import { MAX_TOP, type SearchRequest, type SearchResult } from "../contract/mod.ts";
import { RANKING_DEPTH } from "./metrics.ts";

/** Most pages that are asked for: an engine that knows no `per_document` may fill some with one document. */
const MAX_PAGES = 6;

/** Turns a result into the keys that judgements have for its document. */
export type KeysOf = (result: SearchResult) => readonly string[];

/** What a query has brought. */
export interface Retrieved {
  /** Keys of documents by their best chunk, best first, at most {@linkcode RANKING_DEPTH}. */
  readonly ranking: readonly string[];
  /** How long the first page took, in milliseconds. */
  readonly ms: number;
  /** How the search ran, as the engine says it. */
  readonly mode: string | undefined;
  /** What the engine said that it could not do. */
  readonly warning: string | undefined;
}

/** Asks for the best documents of a query, page by page. */
export async function retrieve(
  client: EngineClient,
  query: string,
  mode: SearchRequest["mode"],
  keysOf: KeysOf,
): Promise<Retrieved> {
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
