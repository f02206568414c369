import type { RouteName } from "../contract/mod.ts";

/*
 * Threat: an engine, or another server in its place, that sends more than memory holds. A compressed body and
 * a body of tiny JSON values are a thousand and twenty times larger in memory than on the wire.
 */

/** Limits on a response of the engine. */
export interface ResponseLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** Maximum number of JSON values: braces, brackets and commas. */
  readonly maxValues: number;
}

/** Maximum nesting depth of a response. Those of the contract have five levels, front matter a few more. */
export const MAX_RESPONSE_DEPTH = 64;

const MiB = 2 ** 20;

/** A single record without content: a job, a status, the confirmation of a write. */
const RECORD: ResponseLimits = { maxBytes: MiB, maxValues: 20_000 };
/** Up to 200 rows of 50 KB, the largest that the contract allows, or 50 search results with context. */
const ROWS: ResponseLimits = { maxBytes: 16 * MiB, maxValues: 100_000 };
/** A whole document, or its metadata: its size is limited by `KB_ENGINE_MAX_ANSWER`. */
const CONTENT: ResponseLimits = { maxBytes: Infinity, maxValues: 200_000 };

const LIMITS: Readonly<Record<RouteName, ResponseLimits>> = {
  status: RECORD,
  search: ROWS,
  createJob: RECORD,
  listJobs: ROWS,
  getJob: RECORD,
  cancelJob: RECORD,
  retryJob: RECORD,
  listDocuments: ROWS,
  queryDocuments: ROWS,
  getDocument: CONTENT,
  editDocument: CONTENT,
  deleteDocument: RECORD,
  listRevisions: ROWS,
  listTrash: ROWS,
  restoreDocument: CONTENT,
  changeTags: RECORD,
  importDocuments: RECORD,
  similarNotes: RECORD,
  updateNote: CONTENT,
  listSources: ROWS,
  addSource: RECORD,
  getSource: RECORD,
  removeSource: RECORD,
  syncSource: RECORD,
  writeSourceFile: RECORD,
};

/** Limits on the body of an error response. */
const ERROR: ResponseLimits = { maxBytes: 2 ** 16, maxValues: 2_000 };

/** Returns the limits on a response of a route. `maxBytes` is the operator's limit on every response. */
export function responseLimits(name: RouteName, isSuccess: boolean, maxBytes: number): ResponseLimits {
  const limits = isSuccess ? LIMITS[name] : ERROR;
  return { ...limits, maxBytes: Math.min(maxBytes, limits.maxBytes) };
}
