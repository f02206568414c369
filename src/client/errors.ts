import type { Id } from "../contract/mod.ts";

/** Why an engine call failed; tools and the CLI decide by this, never by the message. */
export type EngineErrorCode =
  /** No connection: nothing listens there, the name does not resolve, or it does not answer. */
  | "unreachable"
  /** The deadline passed; a read, so nothing has changed. */
  | "timeout"
  /** 401 or 403: the engine does not accept `KB_API_KEY`. */
  | "unauthorized"
  /** 404 for the thing that was asked for. */
  | "not_found"
  /** The document exists and is not a note. */
  | "not_a_note"
  /** 400 or 422: the engine does not accept the input. */
  | "invalid"
  /** 413. */
  | "too_large"
  /** 507: the engine's disk is full. */
  | "storage_full"
  /** 429 or 503: the engine cannot take it now (a full queue, shutting down). */
  | "busy"
  /** An answer that is not of the contract: another server, a broken proxy, a bug, a 5xx. */
  | "invalid_response"
  /** A write whose answer was lost: it may or may not have happened. */
  | "outcome_unknown"
  /** The caller cancelled. */
  | "cancelled";

/**
 * A failed engine call. `message` is written for the person or model that caused the call and holds nothing
 * private; `cause` may, and goes to the log only.
 */
export class EngineError extends Error {
  /** Fixed, so that it also stands in bundles whose classes are renamed. */
  override name = "EngineError";
  /** See {@linkcode EngineErrorCode}. */
  readonly code: EngineErrorCode;
  /** HTTP status, when the engine answered. */
  readonly status: number | undefined;
  /** The document or job that the call was about. */
  readonly id: Id | undefined;

  /** `options.cause` is for the log, `options.status` the HTTP status, `options.id` what the call was about. */
  constructor(
    code: EngineErrorCode,
    message: string,
    options: { cause?: unknown; status?: number | undefined; id?: Id | undefined } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status;
    this.id = options.id;
  }
}
