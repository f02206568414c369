import type { RouteName } from "../contract/mod.ts";
import type { Call, Failure } from "./call.ts";
import type { Deadline } from "./deadline.ts";
import { EngineError } from "./errors.ts";
import { connectFailure, isConnectionLost, isNotHttp } from "./fetch_failure.ts";
import { type FileForm, SizeMismatch } from "./multipart.ts";
import { NotReached, seconds } from "./reach.ts";

/** Where to look whether a write happened before doing it again. */
const CHECK: Partial<Record<RouteName, string>> = {
  createJob: "Check kb_jobs for a new job before you send it again.",
  deleteDocument: "Check with kb_get whether the document is still there before you delete it again.",
  changeTags: "Check the document's tags and collection with kb_get before you change them again.",
  updateNote: "Check the note's text with kb_get before you update it again.",
};

/** Adds, to the message about a write that may have happened, how to find out. */
export function checkHint(call: Call): string {
  return CHECK[call.name] ?? "";
}

/** Nothing was sent. */
export function unreachable(call: Call, reason: string, cause: unknown, again = true): Failure {
  const message = `The engine at ${call.engine} is unreachable (${reason}). ` +
    "Check that it runs and that KB_ENGINE_URL is right, then try again.";
  return { error: new EngineError("unreachable", message, { cause, id: call.id }), again };
}

/** The probe said no, or the deadline was over before it said anything: either way nothing was sent. */
export function notReached(call: Call, deadline: Deadline, error: unknown): Failure {
  if (error instanceof NotReached) return unreachable(call, error.reason, error, !error.slow);
  if (deadline.state === "cancelled") return cancelled(call, "Nothing was sent.", error);
  return unreachable(call, `no answer within ${seconds(deadline.ms)}`, error, false);
}

/** What to say when `fetch` threw, or the deadline was over before the answer's headers came. */
export function notAnswered(
  call: Call,
  deadline: Deadline,
  form: FileForm | undefined,
  cause: unknown,
): Failure {
  if (deadline.state !== "open") return over(call, deadline, form, cause);
  const reason = connectFailure(cause);
  if (reason !== undefined) return unreachable(call, reason, cause);
  if (isNotHttp(cause)) {
    return badAnswer(call, "answered something that is not HTTP. Check that KB_ENGINE_URL is right.", cause);
  }
  return lost(call, form, cause);
}

/** What to say when the answer's body broke off, or did not end within the deadline. */
export function answerBroken(call: Call, deadline: Deadline, cause: unknown): Failure {
  if (deadline.state !== "open") return over(call, deadline, undefined, cause);
  const how = "the answer broke off";
  if (!call.route.safe) return unknownOutcome(call, how, cause);
  return badAnswer(call, `gave no whole answer: ${how}. Try again.`, cause, { again: true });
}

/** The file was not what was said of it; the engine had no part in that. */
export function badFile(form: FileForm): Failure {
  const cause = form.failure;
  const message = cause instanceof SizeMismatch
    ? `${cause.message}. Nothing was stored.`
    : "The file could not be read to its end, so nothing was stored. Try again, or upload it anew.";
  return { error: new EngineError("invalid", message, { cause }), again: false };
}

/** An answer that no engine of the contract gives. `what` completes "The engine at X". */
export function badAnswer(
  call: Call,
  what: string,
  cause?: unknown,
  options: { status?: number; again?: boolean; happened?: boolean } = {},
): Failure {
  const hint = options.happened && !call.route.safe
    ? ` It may have done it all the same. ${checkHint(call)}`
    : "";
  const { id } = call;
  const error = new EngineError("invalid_response", `The engine at ${call.engine} ${what}${hint}`, {
    cause,
    id,
    status: options.status,
  });
  return { error, again: options.again ?? false };
}

function over(call: Call, deadline: Deadline, form: FileForm | undefined, cause: unknown): Failure {
  if (deadline.state === "cancelled") {
    const write = !call.route.safe && (form?.complete ?? true);
    return cancelled(call, write ? `It may have happened all the same. ${checkHint(call)}` : "", cause);
  }
  const time = seconds(deadline.ms);
  if (form && !form.complete) {
    return timedOut(call, `did not take the whole file within ${time}; ${stored(form)}`, cause);
  }
  if (call.route.safe) {
    return timedOut(call, `did not finish its answer within ${time}. Nothing was changed: try again.`, cause);
  }
  return unknownOutcome(call, `no answer came within ${time}`, cause);
}

function lost(call: Call, form: FileForm | undefined, cause: unknown): Failure {
  if (form && !form.complete) {
    return unreachable(call, `the connection closed while the file was on its way; ${stored(form)}`, cause);
  }
  const how = "the connection closed before the answer came";
  if (!call.route.safe) return unknownOutcome(call, how, cause);
  // Proxies of container engines accept connections for a service that is not there, and close them.
  if (isConnectionLost(cause)) return unreachable(call, how, cause);
  return badAnswer(call, "failed without an answer. Try again.", cause, { again: true });
}

function stored(form: FileForm): string {
  return `nothing was stored (${form.bytesRead} bytes were sent)`;
}

function timedOut(call: Call, what: string, cause: unknown): Failure {
  const message = `The engine at ${call.engine} ${what}`;
  return { error: new EngineError("timeout", message, { cause, id: call.id }), again: false };
}

function cancelled(call: Call, rest: string, cause: unknown): Failure {
  const message = `The call of the engine was cancelled. ${rest}`.trimEnd();
  return { error: new EngineError("cancelled", message, { cause, id: call.id }), again: false };
}

function unknownOutcome(call: Call, how: string, cause: unknown): Failure {
  const message = `The engine at ${call.engine} was asked, but ${how}: it may or may not have been done. ` +
    checkHint(call);
  return { error: new EngineError("outcome_unknown", message, { cause, id: call.id }), again: false };
}
