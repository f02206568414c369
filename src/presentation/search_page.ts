import type { Id, SearchResponse, SearchResult } from "../contract/mod.ts";
import { compactResult, firstOfDocuments } from "../contract/rules/mod.ts";
import { type NamedDocument, nameDocuments } from "./named_documents.ts";
import { presentedParts } from "./records.ts";

/**
 * Results of a search as a model reads them, encoded where they were found: the thread of the server sends them on
 * without creating their objects and texts (decision D28).
 */
export interface SearchPage {
  /** The response, without its results. */
  readonly response: SearchResponse;
  /** Number of results. */
  readonly count: number;
  /** Length of the JSON in UTF-16 code units. */
  readonly chars: number;
  /** JSON array of the {@linkcode PresentedResult}s, in UTF-8. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** The JSON as the content of a JSON string, in UTF-8. */
  readonly quoted: Uint8Array<ArrayBuffer>;
  /** The first documents of the results. */
  readonly documents: readonly NamedDocument[];
}

/** A search result as a model reads it: also the other fields of {@linkcode SearchResult} that have a value. */
export interface PresentedResult {
  readonly [field: string]: unknown;
  readonly document_id: Id;
  readonly chunk_id: Id;
  readonly score: number;
  readonly text: string;
}

const encoder = new TextEncoder();

/**
 * Presents the results of a search, and encodes them.
 *
 * @param today Date such as `2026-03-31`.
 */
export function encodeSearchPage({ results, ...response }: SearchResponse, today: string): SearchPage {
  const presented = presentResults(results, today);
  const json = JSON.stringify(presented);
  return {
    response: { ...response, results: [] },
    count: results.length,
    chars: json.length,
    json: encoder.encode(json),
    quoted: encoder.encode(JSON.stringify(json).slice(1, -1)),
    documents: nameDocuments(presented),
  };
}

/**
 * Presents a page of search results: the fields that models read, with those of a document on its first result
 * only. Every result has its `collection`.
 *
 * @param today Date such as `2026-03-31`.
 */
export function presentResults(results: readonly SearchResult[], today: string): PresentedResult[] {
  const isFirst = firstOfDocuments(results);
  return results.map((result, n) => {
    const compact = compactResult(result, { isFirst: isFirst[n] ?? true, today });
    const { fields, tags = [], metadata } = presentedParts(compact);
    Object.assign(fields, metadata);
    if (tags.length > 0) fields["tags"] = tags;
    return fields as PresentedResult;
  });
}
