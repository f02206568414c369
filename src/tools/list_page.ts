import type { DocumentList, DocumentListRequest, DocumentSummary } from "../contract/mod.ts";

/** The number of documents with a key. */
export type DocumentGroup = NonNullable<DocumentList["groups"]>[number];

/** A page as an engine returns it; those of another make may report no total. */
export interface ListPage {
  readonly documents?: readonly DocumentSummary[] | undefined;
  readonly groups?: readonly DocumentGroup[] | undefined;
  readonly total?: number | undefined;
  readonly next_cursor?: string | null | undefined;
  /** What the engine could not do. */
  readonly note?: string;
}

/** Requests a page from an engine. */
export type SendList = (request: DocumentListRequest) => Promise<ListPage>;
