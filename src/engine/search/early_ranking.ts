import type { SearchRequest } from "../../contract/mod.ts";
import { DEFAULT_TOP } from "../../contract/rules/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { parseFilters } from "./filters.ts";
import { requestedMode } from "./plan.ts";
import { plainQueryText } from "./query.ts";
import { vectorLimit } from "./vector_search.ts";

/** A ranking by vectors that can begin before its search is planned. */
export interface EarlyRanking {
  /** Text to embed. */
  readonly text: string;
  /** Number of hits to rank among all chunks. Undefined: the search has filters. */
  readonly limit: number | undefined;
}

/**
 * Returns the ranking by vectors that a search will need, as far as its request alone determines that, without parsing
 * it: long queries take milliseconds. A store with an embedding model is assumed.
 *
 * @returns Undefined if there is none, or it depends on the syntax of the query or on a cursor.
 */
export function earlyRanking(request: SearchRequest): EarlyRanking | undefined {
  const text = request.cursor === undefined ? plainQueryText(request.query) : undefined;
  if (!text) return undefined;
  try {
    const mode = requestedMode(request, true);
    if (mode === "fts") return undefined;
    const isFiltered = Object.keys(parseFilters(request)).length > 0;
    const { top = DEFAULT_TOP, detail = "chunk" } = request;
    const limit = isFiltered
      ? undefined
      : vectorLimit({ mode, offset: 0, request: { ...request, top, detail } }, 0);
    return { text, limit };
  } catch (error) {
    // The search reports it.
    if (error instanceof KnowledgeBaseError) return undefined;
    throw error;
  }
}
