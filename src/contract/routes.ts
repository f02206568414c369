import type * as z from "zod";
import {
  DeletedDocument,
  Document,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  NotePatch,
  TagChange,
} from "./documents.ts";
import { Job, JobAccepted, JobForm, JobPage, JobsQuery } from "./jobs.ts";
import { API_PREFIX } from "./primitives.ts";
import { SearchRequest, SearchResponse } from "./search.ts";
import { EngineStatus } from "./status.ts";

/** One call of the contract. Client, engine and OpenAPI document are all built from this. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path template under the origin; `{id}` stands for one percent-encoded path segment. */
  readonly path: string;
  readonly summary: string;
  /** Status of success. */
  readonly status: 200 | 202;
  /** Schema of the query string's fields. */
  readonly query?: z.ZodObject;
  /** Schema of the JSON body. */
  readonly json?: z.ZodType;
  /** Schema of the multipart form's fields; a `file` part is allowed beside them. */
  readonly form?: z.ZodObject;
  /** Schema of the answer. */
  readonly answer: z.ZodType;
  /** Whether asking twice is the same as asking once and changes nothing: such a call may be retried. */
  readonly safe: boolean;
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
    answer: EngineStatus,
    safe: true,
  },
  search: {
    method: "POST",
    path: `${API_PREFIX}/search`,
    summary: "Ranked chunks for a query",
    status: 200,
    json: SearchRequest,
    answer: SearchResponse,
    safe: true,
  },
  createJob: {
    method: "POST",
    path: `${API_PREFIX}/jobs`,
    summary: "Accept a note or a file for ingestion; accepted means durable",
    status: 202,
    form: JobForm,
    answer: JobAccepted,
    safe: false,
  },
  listJobs: {
    method: "GET",
    path: `${API_PREFIX}/jobs`,
    summary: "Jobs, newest first",
    status: 200,
    query: JobsQuery,
    answer: JobPage,
    safe: true,
  },
  getJob: {
    method: "GET",
    path: `${API_PREFIX}/jobs/{id}`,
    summary: "One job",
    status: 200,
    answer: Job,
    safe: true,
  },
  listDocuments: {
    method: "GET",
    path: `${API_PREFIX}/documents`,
    summary: "Documents, most recently modified or created first",
    status: 200,
    query: DocumentsQuery,
    answer: DocumentPage,
    safe: true,
  },
  getDocument: {
    method: "GET",
    path: `${API_PREFIX}/documents/{id}`,
    summary: "A document with its tags and chunks",
    status: 200,
    query: DocumentQuery,
    answer: Document,
    safe: true,
  },
  deleteDocument: {
    method: "DELETE",
    path: `${API_PREFIX}/documents/{id}`,
    summary: "Delete a document and everything derived from it",
    status: 200,
    answer: DeletedDocument,
    safe: false,
  },
  changeTags: {
    method: "POST",
    path: `${API_PREFIX}/documents/{id}/tags`,
    summary: "Remove tags, then add tags, in one transaction",
    status: 200,
    json: TagChange,
    answer: DocumentTags,
    safe: false,
  },
  updateNote: {
    method: "PATCH",
    path: `${API_PREFIX}/notes/{id}`,
    summary: "Replace a note's text in place, keeping its id",
    status: 200,
    json: NotePatch,
    answer: Document,
    safe: false,
  },
} as const satisfies Record<string, Route>;

/** Name of a call of the contract. */
export type RouteName = keyof typeof routes;

/**
 * Fills `{id}` in a path template.
 *
 * @param path A template such as `/api/v1/documents/{id}`.
 * @param id The id, percent-encoded here, so that no id can leave its segment.
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
  // "." and ".." survive encodeURIComponent, and URL parsers resolve them away.
  return path.replace("{id}", /^\.{1,2}$/.test(segment) ? segment.replaceAll(".", "%252E") : segment);
}
