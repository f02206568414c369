import type { RouteName } from "../contract/mod.ts";
import type { Deadline } from "./deadline.ts";
import type { EngineCall, FailedAttempt } from "./engine_call.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";
import { connectFailure, isConnectionLost, isNotHttp } from "./fetch_errors.ts";
import { type FileForm, FileSizeError } from "./multipart.ts";
import { formatSeconds, UnreachableError } from "./reachability.ts";

/** By route: how to check whether a write took effect before repeating it. */
const WRITE_CHECKS: Partial<Record<RouteName, string>> = {
  createJob: "Check kb_jobs for a new job before you send it again.",
  importDocuments: "Import the documents again: those that are stored are left unchanged.",
  restoreDocument: "Check the document with kb_get before you restore it again.",
  deleteDocument: "Check with kb_get whether the document is still there before you delete it again.",
  changeTags: "Check the document's tags and collection with kb_get before you change them again.",
  editDocument: "Check the document with kb_get before you edit it again.",
  updateNote: "Check the note's text with kb_get before you update it again.",
};

/** Returns the sentence that says how to check whether a write took effect. */
export function writeCheck(call: EngineCall): string {
  return WRITE_CHECKS[call.name] ?? "";
}

/** Describes a failed or timed out probe. Nothing was sent. */
export function probeFailed(call: EngineCall, deadline: Deadline, error: unknown): FailedAttempt {
  if (error instanceof UnreachableError) {
    return unreachable(call, error.reason, { cause: error, isTransient: !error.timedOut });
  }
  if (deadline.state === "cancelled") return cancelled(call, "Nothing was sent.", error);
  const reason = `no response within ${formatSeconds(deadline.ms)}`;
  return unreachable(call, reason, { cause: error, isTransient: false });
}

/** Describes a rejected `fetch`, or a deadline before the response headers. */
export function sendFailed(
  call: EngineCall,
  deadline: Deadline,
  { form, cause }: { form: FileForm | undefined; cause: unknown },
): FailedAttempt {
  if (deadline.state !== "open") return deadlineEnded(call, deadline, { form, cause });
  const reason = connectFailure(cause);
  if (reason !== undefined) return unreachable(call, reason, { cause });
  if (isNotHttp(cause)) {
    const error = invalidResponse(call, "did not respond with HTTP. Check that KB_ENGINE_URL is right.", {
      cause,
    });
    return { error, isTransient: false };
  }
  return connectionLost(call, form, cause);
}

/** Describes a response body that broke off or did not end before the deadline. */
export function bodyFailed(call: EngineCall, deadline: Deadline, cause: unknown): FailedAttempt {
  if (deadline.state !== "open") return deadlineEnded(call, deadline, { form: undefined, cause });
  const reason = "the response broke off";
  if (!call.route.safe) return outcomeUnknown(call, reason, cause);
  const error = invalidResponse(call, `sent an incomplete response: ${reason}. Try again.`, { cause });
  return { error, isTransient: true };
}

/** Describes a file that could not be read or differs from its declared size. The engine is not at fault. */
export function fileFailed({ failure: cause }: FileForm): FailedAttempt {
  const message = cause instanceof FileSizeError
    ? `${cause.message}. Nothing was stored.`
    : "The file could not be read completely, so nothing was stored. Try again, or upload it again.";
  return failed("invalid", message, { cause });
}

/** Builds the error of a response outside the contract. `what` completes "The engine at X". */
export function invalidResponse(
  call: EngineCall,
  what: string,
  options: { cause?: unknown; status?: number; mayHaveChanged?: boolean } = {},
): EngineError {
  const { mayHaveChanged, ...rest } = options;
  const hint = mayHaveChanged && !call.route.safe
    ? ` The change may have been made. ${writeCheck(call)}`
    : "";
  return new EngineError("invalid_response", `The ${call.engine.name} ${what}${hint}`, {
    ...rest,
    id: call.id,
  });
}

function deadlineEnded(
  call: EngineCall,
  deadline: Deadline,
  { form, cause }: { form: FileForm | undefined; cause: unknown },
): FailedAttempt {
  if (deadline.state === "cancelled") {
    const mayHaveChanged = !call.route.safe && (form?.isComplete ?? true);
    return cancelled(
      call,
      mayHaveChanged ? `The change may have been made. ${writeCheck(call)}` : "",
      cause,
    );
  }
  const time = formatSeconds(deadline.ms);
  const { name } = call.engine;
  if (form && !form.isComplete) {
    const message = `The ${name} did not accept the whole file within ${time}; ${nothingStored(form)}`;
    return failed("timeout", message, { cause, id: call.id });
  }
  if (call.route.safe) {
    const message = `The ${name} did not finish its response within ${time}. Nothing was changed: try again.`;
    return failed("timeout", message, { cause, id: call.id });
  }
  return outcomeUnknown(call, `no response arrived within ${time}`, cause);
}

function connectionLost(call: EngineCall, form: FileForm | undefined, cause: unknown): FailedAttempt {
  if (form && !form.isComplete) {
    const reason = `the connection closed while the file was being sent; ${nothingStored(form)}`;
    return unreachable(call, reason, { cause });
  }
  const reason = "the connection closed before the response arrived";
  if (!call.route.safe) return outcomeUnknown(call, reason, cause);
  // Container proxies accept connections for a stopped service and close them.
  if (isConnectionLost(cause)) return unreachable(call, reason, { cause });
  return {
    error: invalidResponse(call, "failed without a response. Try again.", { cause }),
    isTransient: true,
  };
}

function nothingStored(form: FileForm): string {
  return `nothing was stored (${form.bytesRead} bytes were sent)`;
}

function unreachable(
  call: EngineCall,
  reason: string,
  { cause, isTransient = true }: { cause: unknown; isTransient?: boolean },
): FailedAttempt {
  const message = `The ${call.engine.name} is unreachable (${reason}). ` +
    "Check that it runs and that KB_ENGINE_URL is right, then try again.";
  return failed("unreachable", message, { cause, id: call.id, isTransient });
}

function cancelled(call: EngineCall, hint: string, cause: unknown): FailedAttempt {
  return failed("cancelled", `The engine call was cancelled. ${hint}`.trimEnd(), { cause, id: call.id });
}

function outcomeUnknown(call: EngineCall, reason: string, cause: unknown): FailedAttempt {
  const message = `The request was sent to the ${call.engine.name}, but ${reason}: ` +
    `the change may or may not have been made. ${writeCheck(call)}`;
  return failed("outcome_unknown", message, { cause, id: call.id });
}

function failed(
  code: EngineErrorCode,
  message: string,
  { isTransient = false, ...options }: { cause?: unknown; id?: EngineCall["id"]; isTransient?: boolean },
): FailedAttempt {
  return { error: new EngineError(code, message, options), isTransient };
}
