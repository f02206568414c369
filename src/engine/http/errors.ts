import type * as z from "zod";
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from "../../contract/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { escapeInvisible } from "../../text/mod.ts";
import { BodyError, jsonResponse } from "../../web/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";

/** Options of {@linkcode HttpError}. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Sent as `details` of the error body. */
  readonly details?: unknown;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the API rejects. The message is for the caller: what is wrong, and what to do instead. */
export class HttpError extends Error {
  override name = "HttpError";
  /** Code of the contract; determines the status. */
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    { details, headers = {}, ...options }: HttpErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** Rejects requests while the engine closes. */
export function shuttingDown(): HttpError {
  return new HttpError("shutting_down", "The engine is shutting down: try again after its restart", {
    headers: { "retry-after": "2" },
  });
}

/** The parts of the response to a failed request. */
export interface ErrorParts {
  readonly status: number;
  readonly body: z.input<typeof ErrorBody>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Converts any error to the parts of its response, with invisible characters of the caller escaped; the only place that does. Unexpected errors are logged with their causes,
 * and the response has no detail, because messages of SQLite and of the operating system contain SQL and
 * paths.
 */
export function errorParts(error: unknown, log: Logger): ErrorParts {
  const { code, message, details, headers } = toHttpError(error) ?? internalError(error, log);
  const body = {
    error: { code, message: escapeInvisible(message), ...(details === undefined ? {} : { details }) },
  };
  return { status: ERROR_STATUS[code], body, headers };
}

/** Returns the HTTP response to a failed request. */
export function errorResponse(error: unknown, log: Logger): Response {
  const { status, body, headers } = errorParts(error, log);
  return jsonResponse(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

/** Returns the code of the error's response, for logs and metrics. */
export function errorCode(error: unknown): ErrorCode {
  return toHttpError(error)?.code ?? "internal";
}

/** Converts the errors of this API's dependencies; `undefined` for an unexpected error. */
function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof BodyError) return fromBodyError(error);
  if (error instanceof KnowledgeBaseError && error.code !== "internal") {
    const { code, message, details } = error;
    // 500 is the status after which clients check whether the change was made.
    if (code === "outcome_unknown") return new HttpError("internal", message);
    return new HttpError(code, message, {
      details,
      headers: code === "queue_full" || code === "busy" ? { "retry-after": "1" } : {},
    });
  }
  // The spool's disk is full or failing. SQLite reports a full disk as a KnowledgeBaseError.
  if (
    error instanceof Error && /^(?:ENOSPC|EDQUOT|EIO)$/.test((error as Error & { code?: string }).code ?? "")
  ) {
    return new HttpError(
      "storage_full",
      "The disk of the engine is full or failing. Nothing was changed: free some space, then try again",
    );
  }
  if ((error as { code?: unknown }).code === "EROFS") {
    return new HttpError(
      "read_only",
      "The engine's disk is read-only. Nothing was changed: tell the operator, who must make it writable again",
    );
  }
  return undefined;
}

/** For errors after which the rest of a body is not read. */
const CLOSE = { connection: "close" };

function fromBodyError(error: BodyError): HttpError {
  const { code, message, cause } = error;
  switch (code) {
    case "too_large":
      return new HttpError("too_large", `${message}: send less, or in several requests`, { headers: CLOSE });
    case "timeout":
      return new HttpError("timeout", `${message}: send it again, faster`, { headers: CLOSE });
    case "too_complex":
      return new HttpError("invalid", message, { headers: CLOSE });
    case "busy":
      return new HttpError("busy", `${message}: try again in a moment`, {
        headers: { ...CLOSE, "retry-after": "1" },
      });
    case "aborted": // by the signal of the closing engine
      return shuttingDown();
    case "disconnected":
      return new HttpError("invalid", `${message}: send the request again`, { cause });
    case "invalid_utf8":
      return new HttpError("invalid", "The body must be UTF-8 text", { cause });
  }
}

function internalError(error: unknown, log: Logger): HttpError {
  log.error("request failed", { error: error instanceof Error ? error : new Error(String(error)) });
  return new HttpError("internal", "The request failed because of an internal error: see the engine's log");
}
