import type { DocumentListRequest } from "../../contract/mod.ts";
import { type EngineClient, ifFound } from "../../client/mod.ts";
import { type ReadDocument, readDocument } from "./read_document.ts";

/** Filters of an export. Default: every document. */
export type ExportFilters = Pick<
  DocumentListRequest,
  "collections" | "tags" | "source_path_prefix" | "since" | "until" | "doc_type"
>;

/** A document to export. */
export interface ListedDocument extends ReadDocument {
  /** Number of documents in the export. */
  readonly total: number;
}

/** Number of documents per request. */
const PAGE = 200;

/**
 * Reads the documents that pass filters, oldest first. Those that are added meanwhile follow; those that are deleted
 * are left out.
 */
export async function* listDocuments(
  client: EngineClient,
  { filters, signal }: { readonly filters: ExportFilters; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<ListedDocument> {
  const call = signal ? { signal } : {};
  let cursor: string | undefined;
  do {
    const page = await client.queryDocuments(
      { ...filters, sort: "created", order: "asc", limit: PAGE, ...(cursor !== undefined && { cursor }) },
      call,
    );
    for (const { document_id } of page.documents ?? []) {
      signal?.throwIfAborted();
      const read = await ifFound(readDocument(client, document_id, call));
      if (read) yield { ...read, total: page.total };
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
