import type { SearchResponse } from "../../../contract/mod.ts";

/**
 * The response to a search as the thread that searches encodes it, and what the main thread has to know about it: it
 * sends most responses on without reading them.
 */
export interface EncodedSearch {
  /** JSON of the {@linkcode SearchResponse}. */
  readonly json: string;
  /** Ids of the documents of the results, one per result. */
  readonly documents: readonly number[];
  /** Whether nothing was missing that may be there a moment later, such as vectors or the embedding model. */
  readonly isComplete: boolean;
}

/** Encodes the response to a search. */
export function encodeSearch(response: SearchResponse): EncodedSearch {
  const { results, warning, vectors } = response;
  return {
    json: JSON.stringify(response),
    documents: results.map(({ document_id }) => Number(document_id)),
    isComplete: warning === undefined && (!vectors || vectors.embedded === vectors.total),
  };
}
