import type * as z from "zod";
import { DocumentEdit, EditedDocument } from "./document_edit.ts";
import { DocumentList, DocumentListRequest } from "./document_list.ts";
import {
  DeletedDocument,
  DeleteQuery,
  Document,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  NotePatch,
  TagChange,
} from "./documents.ts";
import { PageQuery, RestoredDocument, RestoreRequest, RevisionPage, TrashPage } from "./revisions.ts";
import { SimilarNotes, SimilarRequest } from "./similar_notes.ts";
import {
  NewSource,
  NewSourceFile,
  RemovedSource,
  RemoveSourceQuery,
  Source,
  SourceList,
  SyncRequest,
  WrittenFile,
} from "./sources.ts";
import type { ErrorCode } from "./errors.ts";
import { ImportRequest, ImportResponse, MAX_IMPORT_BYTES, MAX_IMPORT_VALUES } from "./import.ts";
import { Job, JobAccepted, JobForm, JobPage, JobQuery, JobsQuery } from "./jobs.ts";
import { API_PREFIX } from "./primitives.ts";
import { SearchRequest, SearchResponse } from "./search.ts";
import { EngineStatus } from "./status.ts";

/** A route of the contract. Client, engine and OpenAPI document are built from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path template. `{id}` is one percent-encoded segment. */
  readonly path: string;
  readonly summary: string;
  /** Status of success. */
  readonly status: 200 | 202;
  /** Schema of the query string's fields. */
  readonly query?: z.ZodObject;
  /** Schema of the JSON body. */
  readonly json?: z.ZodType;
  /** Limits of the JSON body, if they differ from those of other routes. */
  readonly bodyLimits?: { readonly maxBytes: number; readonly maxValues: number };
  /** Schema of the multipart form's fields. A `file` part is allowed in addition. */
  readonly form?: z.ZodObject;
  /** Schema of the response. */
  readonly response: z.ZodType;
  /** Whether the route changes nothing, so that a call may be retried. */
  readonly safe: boolean;
  /** Whether the response has the `ETag` of a document, which is its `version`. */
  readonly etag?: boolean;
  /** Whether `If-Match` makes the change conditional (RFC 9110 §13.1.1). */
  readonly ifMatch?: boolean;
  /** Error codes that only some routes have, in addition to those that follow from the other fields. */
  readonly errors?: readonly ErrorCode[];
}

/**
 * The route table of the contract.
 *
 * @example
 * ```ts
 * import { routes } from "./routes.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(routes.updateNote.path, "/api/v1/notes/{id}");
 * ```
 */
export const routes = {
  status: {
    method: "GET",
    path: `${API_PREFIX}/status`,
    summary: "Version, model, device, counts, queue and storage",
    status: 200,
    response: EngineStatus,
    safe: true,
  },
  search: {
    method: "POST",
    path: `${API_PREFIX}/search`,
    summary: "Ranked chunks for a query",
    status: 200,
    json: SearchRequest,
    response: SearchResponse,
    safe: true,
  },
  createJob: {
    method: "POST",
    path: `${API_PREFIX}/jobs`,
    summary: "Accept a note or a file for ingestion, durably",
    status: 202,
    form: JobForm,
    response: JobAccepted,
    safe: false,
  },
  listJobs: {
    method: "GET",
    path: `${API_PREFIX}/jobs`,
    summary: "Jobs, newest first",
    status: 200,
    query: JobsQuery,
    response: JobPage,
    safe: true,
  },
  getJob: {
    method: "GET",
    path: `${API_PREFIX}/jobs/{id}`,
    summary: "One job",
    status: 200,
    query: JobQuery,
    response: Job,
    safe: true,
    errors: ["expired"],
  },
  cancelJob: {
    method: "POST",
    path: `${API_PREFIX}/jobs/{id}/cancel`,
    summary:
      "Cancel a queued or processing job, and the unfinished jobs of the files in its archive or message",
    status: 200,
    response: Job,
    safe: false,
    errors: ["conflict", "expired"],
  },
  retryJob: {
    method: "POST",
    path: `${API_PREFIX}/jobs/{id}/retry`,
    summary: "Queue a failed or cancelled job again, with its id",
    status: 200,
    response: Job,
    safe: false,
    errors: ["conflict", "expired"],
  },
  listDocuments: {
    method: "GET",
    path: `${API_PREFIX}/documents`,
    summary: "Documents, most recently modified or created first",
    status: 200,
    query: DocumentsQuery,
    response: DocumentPage,
    safe: true,
  },
  queryDocuments: {
    method: "POST",
    path: `${API_PREFIX}/documents/query`,
    summary: "Documents by filters, sorted, or their counts by tag, collection, kind or day",
    status: 200,
    json: DocumentListRequest,
    response: DocumentList,
    safe: true,
  },
  getDocument: {
    method: "GET",
    path: `${API_PREFIX}/documents/{id}`,
    summary: "A document with its tags and chunks",
    status: 200,
    query: DocumentQuery,
    response: Document,
    safe: true,
    etag: true,
  },
  editDocument: {
    method: "PATCH",
    path: `${API_PREFIX}/documents/{id}`,
    summary: "Change title, tags, path, metadata or parts of the text, all or nothing",
    status: 200,
    json: DocumentEdit,
    response: EditedDocument,
    safe: false,
    etag: true,
    ifMatch: true,
    errors: ["not_a_note", "conflict"],
  },
  deleteDocument: {
    method: "DELETE",
    path: `${API_PREFIX}/documents/{id}`,
    summary: "Move a document to the trash, or erase it",
    status: 200,
    query: DeleteQuery,
    response: DeletedDocument,
    safe: false,
    ifMatch: true,
  },
  listRevisions: {
    method: "GET",
    path: `${API_PREFIX}/documents/{id}/revisions`,
    summary: "Former versions of a document, also of a deleted one, newest first",
    status: 200,
    query: PageQuery,
    response: RevisionPage,
    safe: true,
  },
  restoreDocument: {
    method: "POST",
    path: `${API_PREFIX}/documents/{id}/restore`,
    summary: "Restore a former version or a deleted document",
    status: 200,
    json: RestoreRequest,
    response: RestoredDocument,
    safe: false,
    etag: true,
    ifMatch: true,
    errors: ["conflict"],
  },
  listTrash: {
    method: "GET",
    path: `${API_PREFIX}/trash`,
    summary: "Deleted documents that can be restored, most recently deleted first",
    status: 200,
    query: PageQuery,
    response: TrashPage,
    safe: true,
  },
  changeTags: {
    method: "POST",
    path: `${API_PREFIX}/documents/{id}/tags`,
    summary: "Remove tags, then add tags, in one transaction",
    status: 200,
    json: TagChange,
    response: DocumentTags,
    safe: false,
    etag: true,
    ifMatch: true,
  },
  importDocuments: {
    method: "POST",
    path: `${API_PREFIX}/documents/import`,
    summary: "Store documents as they were in another knowledge base or program, with their times",
    status: 200,
    json: ImportRequest,
    bodyLimits: { maxBytes: MAX_IMPORT_BYTES, maxValues: MAX_IMPORT_VALUES },
    response: ImportResponse,
    safe: false,
  },
  similarNotes: {
    method: "POST",
    path: `${API_PREFIX}/documents/similar`,
    summary: "Notes that say nearly the same as a new one; none while the engine is busy",
    status: 200,
    json: SimilarRequest,
    response: SimilarNotes,
    safe: true,
  },
  updateNote: {
    method: "PATCH",
    path: `${API_PREFIX}/notes/{id}`,
    summary: "Replace a note's text in place, keeping its id",
    status: 200,
    json: NotePatch,
    response: Document,
    safe: false,
    etag: true,
    ifMatch: true,
    errors: ["not_a_note"],
  },
  listSources: {
    method: "GET",
    path: `${API_PREFIX}/sources`,
    summary: "Folders and websites that the engine keeps in sync, by name",
    status: 200,
    response: SourceList,
    safe: true,
  },
  addSource: {
    method: "POST",
    path: `${API_PREFIX}/sources`,
    summary: "Add a source, or change the options of the one with its name; starts its synchronization",
    status: 200,
    json: NewSource,
    response: Source,
    safe: false,
    errors: ["forbidden", "conflict"],
  },
  getSource: {
    method: "GET",
    path: `${API_PREFIX}/sources/{id}`,
    summary: "A source with its last synchronization",
    status: 200,
    response: Source,
    safe: true,
  },
  removeSource: {
    method: "DELETE",
    path: `${API_PREFIX}/sources/{id}`,
    summary: "Remove a source, and its documents unless keep_documents is true",
    status: 200,
    query: RemoveSourceQuery,
    response: RemovedSource,
    safe: false,
    errors: ["conflict"],
  },
  syncSource: {
    method: "POST",
    path: `${API_PREFIX}/sources/{id}/sync`,
    summary: "Synchronize a source, and wait for the end up to wait_seconds",
    status: 200,
    json: SyncRequest,
    response: Source,
    safe: false,
  },
  writeSourceFile: {
    method: "POST",
    path: `${API_PREFIX}/sources/{id}/files`,
    summary: "Create a Markdown file in a writable source",
    status: 200,
    json: NewSourceFile,
    response: WrittenFile,
    safe: false,
    errors: ["forbidden", "conflict"],
  },
} as const satisfies Record<string, Route>;

/** Name of a route. */
export type RouteName = keyof typeof routes;

/**
 * Fills in the `{id}` of a path template, percent-encoded so that no id can leave its segment.
 *
 * @example
 * ```ts
 * import { pathFor } from "./routes.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(pathFor("/api/v1/jobs/{id}", "a/b"), "/api/v1/jobs/a%2Fb");
 * ```
 */
export function pathFor(path: string, id: string | number): string {
  const segment = encodeURIComponent(String(id));
  // encodeURIComponent keeps "." and "..", which URL parsers would resolve.
  return path.replace("{id}", /^\.{1,2}$/.test(segment) ? segment.replaceAll(".", "%252E") : segment);
}
