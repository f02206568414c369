import { EngineError } from "../client/mod.ts";
import { CollectionError } from "../collections/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { UploadError } from "../uploads/mod.ts";
import { ToolError } from "./tool.ts";

/** A failed tool call. */
export interface FailedCall {
  readonly tool: string;
  readonly log: Logger;
}

/** Engine errors that the operator has to fix, so they are logged. */
const OPERATOR_CODES: ReadonlySet<EngineError["code"]> = new Set<EngineError["code"]>([
  "unreachable",
  "timeout",
  "unauthorized",
  "host_not_allowed",
  "engine_too_old",
  "storage_full",
  "storage_damaged",
  "read_only",
  "invalid_response",
  "outcome_unknown",
]);

/**
 * Turns an error of a tool into text for the model. Typed errors carry a message for the model. Any other
 * error is logged with its causes, and the text contains only a reference to the log entry.
 *
 * @returns One or two sentences without stack, path, query or token.
 *
 * @example
 * ```ts
 * import { describeError } from "./describe_errors.ts";
 * import { silentLogger } from "../telemetry/mod.ts";
 * import { assertMatch } from "@std/assert";
 * const text = describeError(new Error("no such table: chunks"), { tool: "kb_get", log: silentLogger });
 * assertMatch(text, /^Internal error in kb_get \(reference [0-9a-f]{8}\)/);
 * ```
 */
export function describeError(error: unknown, { tool, log }: FailedCall): string {
  if (error instanceof ToolError || error instanceof UploadError || error instanceof CollectionError) {
    return error.message;
  }
  if (error instanceof EngineError) {
    if (OPERATOR_CODES.has(error.code)) log.warn("engine call failed", { tool, code: error.code, error });
    return error.message;
  }
  if (error instanceof DOMException && error.name === "AbortError") return `${tool} was cancelled.`;
  const reference = crypto.randomUUID().slice(0, 8);
  log.error("tool failed", { tool, reference, error });
  return `Internal error in ${tool} (reference ${reference}). Your input is not the cause: try again once. If it fails \
again, give the user this reference; the server's log has the details.`;
}

/** Returns a code for an error of a tool, for logs and metrics: `rejected` for a mistake of the caller. */
export function errorCode(error: unknown): string {
  if (error instanceof EngineError || error instanceof UploadError) return error.code;
  if (error instanceof ToolError || error instanceof CollectionError) return "rejected";
  return error instanceof DOMException && error.name === "AbortError" ? "cancelled" : "internal";
}
