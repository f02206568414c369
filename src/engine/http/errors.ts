import { ERROR_STATUS, type ErrorCode } from "../../contract/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";

/** A refusal of a request. `message` goes to the caller: what is wrong, and what to do instead. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: unknown; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/**
 * The one place where errors become answers. What is not a typed refusal is a bug or a broken machine: it is logged
 * with its cause and answered without any detail, because messages of SQLite and of the OS carry SQL and paths.
 */
export function errorResponse(error: unknown, log: Logger): Response {
  const { code, message, details, headers } = refusal(error) ?? internal(error, log);
  return Response.json(
    { error: { code, message, ...(details === undefined ? {} : { details }) } },
    { status: ERROR_STATUS[code], headers: { "cache-control": "no-store", ...headers } },
  );
}

function refusal(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof KnowledgeBaseError && error.code !== "internal") {
    const headers = error.code === "queue_full" ? { "retry-after": "1" } : {};
    return new HttpError(error.code, error.message, { headers });
  }
  // The spool's disk; SQLite's comes as a KnowledgeBaseError.
  if (error instanceof Error && /^(?:ENOSPC|EDQUOT)$/.test((error as Error & { code?: string }).code ?? "")) {
    return new HttpError(
      "storage_full",
      "The disk is full. Nothing was changed: make room on the engine's disk, then try again",
    );
  }
  return undefined;
}

function internal(error: unknown, log: Logger): HttpError {
  log.error("request failed", { error: error instanceof Error ? error : new Error(String(error)) });
  return new HttpError(
    "internal",
    "The engine could not do this because of an internal error; its log says why",
  );
}
