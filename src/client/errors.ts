import type { Id } from "../contract/mod.ts";

/** Reason for a failed engine call. Callers branch on this code, never on the message. */
export type EngineErrorCode =
  /** No connection: nothing listens, the name does not resolve, or the connection attempt timed out. */
  | "unreachable"
  /** The deadline passed. Only reads fail this way, so nothing has changed. */
  | "timeout"
  /** 401 or 403: the engine does not accept `KB_API_KEY`. */
  | "unauthorized"
  /** 403: the engine does not serve this host name. */
  | "host_not_allowed"
  /** 403: this caller may not do this, such as write to a folder that is not writable. Nothing was changed. */
  | "forbidden"
  /** The engine's version is below the contract's minimum (decision D7), or lacks the requested feature. */
  | "engine_too_old"
  /** 404: no such document or job. */
  | "not_found"
  /** 412: the document's version is not the given one. `details` has the current one. Nothing was changed. */
  | "version_conflict"
  /** 409: another document is at the `source_path`. `details` names it. Nothing was changed. */
  | "conflict"
  /** 410: the engine no longer has this job. */
  | "expired"
  /** The document exists and is not a note. */
  | "not_a_note"
  /** 400 or 422: the engine does not accept the input. */
  | "invalid"
  /** 413: the request is too large. */
  | "too_large"
  /** 507: the engine's disk is full. */
  | "storage_full"
  /** 500: the engine's stored data is damaged. Nothing was changed. */
  | "storage_damaged"
  /** 503: the engine accepts no writes at present. Nothing was changed. */
  | "read_only"
  /** 429 or 503: the queue is full, or the engine is shutting down. */
  | "busy"
  /** A response outside the contract: another server, a broken proxy, a bug, a 5xx. */
  | "invalid_response"
  /** A write whose response was lost: it may or may not have happened. */
  | "outcome_unknown"
  /** The caller cancelled. */
  | "cancelled";

/** Options of {@linkcode EngineError}. */
export interface EngineErrorOptions extends ErrorOptions {
  /** HTTP status, if the engine responded. */
  readonly status?: number | undefined;
  /** Document or job of the call. */
  readonly id?: Id | undefined;
  /** Structured fields of the error, validated. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Delay that a busy engine requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A failed engine call. `message` is written for the person or model that caused the call and contains
 * nothing private. `cause` may contain private details and is only logged.
 */
export class EngineError extends Error {
  /** Set explicitly, because bundling renames classes. */
  override name = "EngineError";
  /** See {@linkcode EngineErrorCode}. */
  readonly code: EngineErrorCode;
  /** HTTP status, if the engine responded. */
  readonly status: number | undefined;
  /** Document or job of the call. */
  readonly id: Id | undefined;

  /** Fields of `version_conflict` (`VersionConflict`) and `conflict` (`PathConflict`), if the engine sent them. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** Delay that a busy engine requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** Creates an error. `options.cause` is for the log. */
  constructor(code: EngineErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status;
    this.id = options.id;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
  }
}
