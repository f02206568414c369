import type { Call, Failure } from "./call.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";
import { badAnswer, checkHint } from "./failures.ts";

/** An answer with a status that is not of success. */
export interface Refusal {
  readonly status: number;
  /** The parsed body; undefined when it was no JSON. */
  readonly body: unknown;
  /** The `Location` header. */
  readonly location: string | null;
}

/** What the engine said in its body: a code for programs and a text. */
interface Said {
  readonly code: string | undefined;
  readonly text: string;
  /** Whether the body is an error of the contract, or one of FastAPI: not a page of some other server. */
  readonly isKnown: boolean;
}

/** Turns an answer that is not of success into a typed error. */
export function refusal(call: Call, answer: Refusal, hasKey: boolean): Failure {
  const { status } = answer;
  const said = saidBy(answer.body, call.clean);
  const fail = (code: EngineErrorCode, message: string, again = false): Failure => ({
    error: new EngineError(code, message, { status, id: call.id }),
    again,
  });
  const quote = said.text ? `: ${said.text}.` : ".";
  const sentence = said.text ? ` It says: ${said.text}.` : "";

  if (status < 400) return badAnswer(call, redirectText(call, answer), undefined, { status });
  if (said.code === "not_a_note" || (call.name === "updateNote" && meansNotANote(status, said.text))) {
    return fail(
      "not_a_note",
      `Document ${named(call)} is not a note: only notes can be updated. ` +
        "To replace another kind of document, upload its new version with the same source_path.",
    );
  }
  switch (status) {
    case 401:
    case 403:
      return fail(
        "unauthorized",
        `The engine at ${call.engine} refused the call (${status}). ${keyHint(hasKey)}`,
      );
    case 404:
      // Without an id in the path it is the path itself that is unknown there.
      if (call.id === undefined) break;
      if (said.isKnown) return fail("not_found", notFound(call));
      return badAnswer(
        call,
        "answered 404 without an error of the contract: KB_ENGINE_URL points at something that is not an engine. " +
          "Check that it is the address of a knowledge base engine, version 3.0.0 or later.",
        undefined,
        { status },
      );
    case 405:
    case 501:
      break;
    case 408:
      return fail(
        "timeout",
        `The engine at ${call.engine} gave up waiting for the request.${sentence} Try again.`,
      );
    case 413:
      return fail("too_large", `The engine refused this because it is too large${quote}`);
    case 429:
    case 503:
      return fail(
        "busy",
        `The engine at ${call.engine} cannot take this now (${status})${quote} Try again in a few seconds.`,
        status === 503,
      );
    case 507:
      return fail(
        "storage_full",
        `The disk of the engine at ${call.engine} is full. Nothing was changed: make room on the engine's disk, ` +
          "then try again.",
      );
    case 502:
    case 504:
      if (!call.route.safe) {
        return fail(
          "outcome_unknown",
          `A gateway before the engine at ${call.engine} lost the answer (${status}): ` +
            `it may or may not have been done. ${checkHint(call)}`,
        );
      }
      return badAnswer(call, `is behind a gateway that cannot reach it (${status}). Try again.`, undefined, {
        status,
        again: true,
      });
    default:
      if (status < 500) return fail("invalid", `The engine does not accept this (${status})${quote}`);
      return badAnswer(call, `failed (${status})${quote}`, undefined, { status, happened: true });
  }
  return badAnswer(
    call,
    `does not know ${call.route.method} ${call.route.path} (${status}). ` +
      "Check that KB_ENGINE_URL is the address of a knowledge base engine, version 3.0.0 or later.",
    undefined,
    { status },
  );
}

/** Understands `{"error": {code, message}}`, and FastAPI's `{"detail": "…"}` and `{"detail": [{loc, msg}]}`. */
function saidBy(body: unknown, clean: (text: string) => string): Said {
  const { error, detail, message } = record(body);
  const { code, message: inner } = record(error);
  const isKnown = typeof code === "string" || typeof inner === "string" || (detail ?? null) !== null;
  const texts = [inner, error, detail, record(detail)["message"], message];
  const text = texts.find((value) => typeof value === "string") ??
    (Array.isArray(detail) ? detail.slice(0, 10).map(validationText).join("; ") : "");
  // The end is cut off because the sentences that quote it bring their own.
  return {
    code: typeof code === "string" ? code : undefined,
    text: clean(String(text)).replace(/\.$/, ""),
    isKnown,
  };
}

function validationText(item: unknown): string {
  const { loc, msg } = record(item);
  const where = Array.isArray(loc) ? loc.filter((part) => part !== "body" && part !== "query").join(".") : "";
  return where ? `${where}: ${String(msg)}` : String(msg);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** 409 has no other meaning there; 400 and 422 may also be about the new text. */
function meansNotANote(status: number, text: string): boolean {
  return status === 409 ||
    ((status === 400 || status === 422) &&
      /\bonly (?:a )?notes?\b|\bnot an? note\b|\bnon-note\b/i.test(text));
}

function notFound(call: Call): string {
  return call.name === "getJob"
    ? `The engine has no job ${named(call)}. kb_jobs without a job_id lists the jobs that it has.`
    : `The engine has no document ${
      named(call)
    }: it may have been deleted. kb_search finds ids that are there.`;
}

function named(call: Call): string {
  return call.clean(String(call.id));
}

function keyHint(hasKey: boolean): string {
  return hasKey
    ? "Check that KB_API_KEY here is the key that the engine was started with."
    : "It wants a key: set KB_API_KEY to the one that the engine was started with.";
}

/** Only the origin of the target is said: its path and query are another server's words. */
function redirectText(call: Call, { status, location }: Refusal): string {
  const target = location === null ? null : URL.parse(location, call.engine);
  return target
    ? `redirects to ${call.clean(target.origin)} (${status}). Set KB_ENGINE_URL to the final address.`
    : `answered ${status} without an answer. Set KB_ENGINE_URL to the engine's own address.`;
}
