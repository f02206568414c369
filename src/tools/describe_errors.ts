import { EngineError } from "../client/mod.ts";
import { CollectionError } from "../collections/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { UploadError } from "../uploads/mod.ts";
import { ToolError } from "./define.ts";

/** The call that failed. */
export interface FailedCall {
  readonly tool: string;
  readonly log: Logger;
}

/** Kinds that the operator should know of too: none of them is the model's doing. */
const OPERATORS = new Set<EngineError["code"]>([
  "unreachable",
  "timeout",
  "unauthorized",
  "host_not_allowed",
  "engine_too_old",
  "storage_full",
  "invalid_response",
  "outcome_unknown",
]);

/**
 * The one place where what a tool threw becomes text for the model. Typed errors carry a message that was written for
 * it; of anything else only a reference goes out, under which the log has the error with its causes. (What the input
 * schema refused never was an error of the tool: see `describeInput`.)
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
    if (OPERATORS.has(error.code)) log.warn("engine call failed", { tool, code: error.code, error });
    return error.message;
  }
  if (error instanceof DOMException && error.name === "AbortError") return `${tool} was cancelled.`;
  const reference = crypto.randomUUID().slice(0, 8);
  log.error("tool failed", { tool, reference, error });
  return `Internal error in ${tool} (reference ${reference}). It is not your input's fault: try again once, and if it \
stays, tell the user this reference; the server's log has the details.`;
}
