import type { SearchResponse } from "../../../contract/mod.ts";
import { encodeSearchPage, type SearchPage } from "../../../presentation/mod.ts";

/**
 * The response to a search as the thread that searches encodes it, and what the main thread has to know about it: it
 * sends most responses on without reading them.
 */
export interface EncodedSearch<T> {
  readonly response: T;
  /** Size of the response in bytes. */
  readonly size: number;
  /** Ids of the documents of the results, one per result. */
  readonly documents: readonly number[];
  /** Whether nothing was missing that may be there a moment later, such as vectors or the embedding model. */
  readonly isComplete: boolean;
}

const encoder = new TextEncoder();

/** Encodes the response to a search as JSON in UTF-8. */
export function encodeSearch(response: SearchResponse): EncodedSearch<Uint8Array<ArrayBuffer>> {
  const json = encoder.encode(JSON.stringify(response));
  return { response: json, size: json.length, ...summarize(response) };
}

/** Encodes the results of a search as a model reads them. @param today Date such as `2026-03-31`. */
export function encodePage(response: SearchResponse, today: string): EncodedSearch<SearchPage> {
  const page = encodeSearchPage(response, today);
  return { response: page, size: page.json.length + page.quoted.length, ...summarize(response) };
}

function summarize({ results, warning, vectors }: SearchResponse) {
  return {
    documents: results.map(({ document_id }) => Number(document_id)),
    isComplete: warning === undefined && (!vectors || vectors.embedded === vectors.total),
  };
}
