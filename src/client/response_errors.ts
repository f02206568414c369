import {
  API_PREFIX,
  type ErrorCode,
  MIN_ENGINE_VERSION,
  PathConflict,
  VersionConflict,
} from "../contract/mod.ts";
import { withoutStack } from "../telemetry/mod.ts";
import { escapeInvisible } from "../text/mod.ts";
import type { EngineCall, EngineResponse } from "./engine_call.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";
import { invalidResponse, writeCheck } from "./transport_errors.ts";

/** The body of an error response, in the contract's terms. */
export interface ResponseErrorBody {
  /** Code of the contract, or a third-party engine's own. */
  readonly code?: ErrorCode | (string & Record<never, never>) | undefined;
  /**
   * Message for callers: sanitized, without a final full stop. Empty unless the body is a 4xx error of the
   * contract, because any other text may hold a path, SQL, a stack or instructions to a model.
   */
  readonly message: string;
  /** Fields of an error of the contract, with sanitized text. Empty without any. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether an engine sent the body, rather than a proxy or some other server. */
  readonly isFromEngine: boolean;
  /** Logs the engine's text, and returns a reference to the log entry. Undefined if there is no other text. */
  readonly logText: () => string | undefined;
}

/** Gateway errors and a busy engine: a read may succeed on a retry. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a retry may get another status, if the route is safe to repeat. */
export function isTransient({ status, retryAfterMs }: EngineResponse): boolean {
  return TRANSIENT_STATUSES.has(status) || (status === 429 && retryAfterMs !== undefined);
}

const CHECK_URL = "Check that KB_ENGINE_URL is the address of a knowledge base engine, " +
  `version ${MIN_ENGINE_VERSION} or later.`;

/** Turns a response without a 2xx status into an error that says what to do. */
export function responseError(
  call: EngineCall,
  response: EngineResponse,
  body: ResponseErrorBody,
): EngineError {
  const { status } = response;
  const { name } = call.engine;
  const { retryAfterMs } = response;
  const error = (code: EngineErrorCode, message: string) =>
    new EngineError(code, message, { status, id: call.id, retryAfterMs });
  const details = () => {
    if (body.message) return `: ${body.message}.`;
    const reference = body.logText();
    return reference ? `; the log of kb-mcp has its message (reference ${reference}).` : ".";
  };

  if (status < 400) return invalidResponse(call, redirectMessage(call, response), { status });
  if (body.code === "not_a_note") return error("not_a_note", notANote(call));
  if (body.code === "version_conflict" || status === 412) return versionConflict(call, status, body);
  if (body.code === "conflict" && status === 409) {
    const { data } = PathConflict.safeParse(body.details);
    const message = `${body.message || "Another document is at this source_path"}. Nothing was changed.`;
    return new EngineError("conflict", message, { status, id: call.id, details: data });
  }
  if (status === 410) {
    const message = `${body.message || `The ${name} no longer has this`}.`;
    return new EngineError("expired", message, { status, id: call.id, details: body.details });
  }
  if (body.code === "host_not_allowed") return error("host_not_allowed", hostNotAllowed(call));
  if (body.code === "forbidden" && body.message) return error("forbidden", `${body.message}.`);
  if (body.code === "too_many_attempts") {
    return error("unauthorized", `The ${name} rejected the API key (${status}). ${keyHint(call)}`);
  }
  if (body.code === "storage_damaged" && status >= 500) {
    body.logText();
    return error("storage_damaged", storageDamaged(call));
  }
  if (body.code === "read_only" && status >= 500) {
    body.logText();
    return error("read_only", readOnly(call));
  }
  switch (status) {
    case 401:
    case 403:
      return error("unauthorized", `The ${name} rejected the API key (${status}). ${keyHint(call)}`);
    case 404:
      // Without an id in the path, the path itself is unknown.
      if (call.id === undefined) return invalidResponse(call, unknownRoute(call, status), { status });
      if (body.isFromEngine) {
        return withoutStack(EngineError, {
          name: "EngineError",
          code: "not_found",
          message: notFound(call, body),
          status,
          id: call.id,
          details: undefined,
          retryAfterMs,
        });
      }
      return invalidResponse(call, `responded with 404 and no engine error. ${CHECK_URL}`, { status });
    case 405:
    case 501:
      return invalidResponse(call, unknownRoute(call, status), { status });
    case 408:
      // A search that takes too long: its query can be changed, unlike a request that did not arrive.
      if (call.route.safe && body.message) return error("timeout", `${body.message}.`);
      return error("timeout", `The ${name} timed out waiting for the request. Try again.`);
    case 413:
      return error("too_large", `The engine rejected this because it is too large${details()}`);
    case 429:
    case 503:
      return error("busy", `The ${name} is busy (${status}). Try again in ${retryDelay(response)}.`);
    case 507:
      return error(
        "storage_full",
        `The disk of the ${name} is full or failing. Nothing was changed: free disk space there, then try again.`,
      );
    case 502:
    case 504:
      if (call.route.safe) {
        return invalidResponse(call, `is behind a gateway that cannot reach it (${status}). Try again.`, {
          status,
        });
      }
      return error(
        "outcome_unknown",
        `A gateway in front of the ${name} lost the response (${status}): ` +
          `the change may or may not have been made. ${writeCheck(call)}`,
      );
    default:
      if (status < 500) return error("invalid", `The engine does not accept this (${status})${details()}`);
      return invalidResponse(call, `failed (${status})${details()}`, { status, mayHaveChanged: true });
  }
}

function versionConflict(call: EngineCall, status: number, { details }: ResponseErrorBody): EngineError {
  const { data } = VersionConflict.safeParse({ version: null, ...details, document_id: call.id });
  const message =
    `Document ${idOf(call)} was changed by someone else. Nothing was changed by this call: read it ` +
    "again with kb_get, then decide.";
  return new EngineError("version_conflict", message, { status, id: call.id, details: data });
}

/** A file of a source does not accept an upload. */
const NEW_VERSION =
  "upload its new version with the same source_path. A document with a source (kb_get) changes " +
  "with its file only: change the file there, or tell the user.";

function notANote(call: EngineCall): string {
  if (call.name === "editDocument") {
    return `Document ${
      idOf(call)
    } is not a note, so its text cannot be edited. Nothing was changed: edit its title, ` +
      `tags, source_path or metadata, or ${NEW_VERSION}`;
  }
  return `Document ${idOf(call)} is not a note: only notes can be updated. ` +
    `To replace another kind of document, ${NEW_VERSION}`;
}

function hostNotAllowed({ engine: { name, url } }: EngineCall): string {
  const { host } = new URL(url);
  return `The ${name} does not serve the host name ${JSON.stringify(host)} (403). ` +
    `Add it to KB_ENGINE_ALLOWED_HOSTS on the engine, or set KB_ENGINE_URL to a name that the engine serves.`;
}

function retryDelay({ retryAfterMs }: EngineResponse): string {
  return retryAfterMs === undefined ? "a few seconds" : formatDuration(retryAfterMs);
}

/** Rounds up: a retry one second early would be rejected again. */
function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 120) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return seconds <= 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

function storageDamaged({ engine: { name } }: EngineCall): string {
  return `The stored data of the ${name} is damaged, so this failed and nothing was changed. Do not try again: ` +
    "tell the user that the operator has to repair it or restore a backup; the engine's log has the commands.";
}

function readOnly({ engine: { name } }: EngineCall): string {
  return `The ${name} accepts no changes at present, because its disk is read-only or its writer has failed. Nothing was ` +
    "changed, and searching still works. Tell the user that the operator has to fix it; the engine's log has " +
    "the reason.";
}

function notFound(call: EngineCall, { message, details }: ResponseErrorBody): string {
  const id = idOf(call);
  const { deleted_at: deletedAt, deleted_by: deletedBy, title } = details;
  if (typeof deletedAt === "string") {
    const name = typeof title === "string" ? ` (${JSON.stringify(title)})` : "";
    const by = typeof deletedBy === "string" ? ` by ${JSON.stringify(deletedBy)}` : "";
    const time = deletedAt.replace(/\.\d+/, "");
    return `There is no document ${id}${name}: it was deleted at ${time}${by}. kb_restore brings it back.`;
  }
  if (call.query?.["version"] !== undefined) {
    return `The engine has no version ${
      call.query["version"]
    } of document ${id}. Call kb_history without revision to ` +
      "list those that are kept.";
  }
  const isOther = call.name === "restoreDocument" || call.route.path.startsWith(`${API_PREFIX}/sources`);
  if (isOther && message !== "") return `${message}.`;
  return call.route.path.startsWith(`${API_PREFIX}/jobs`)
    ? `The engine has no job ${id}. Call kb_jobs without job_id to list the jobs.`
    : `The engine has no document ${id}: it may have been deleted. Call kb_search to find documents.`;
}

function unknownRoute({ route }: EngineCall, status: number): string {
  return `does not know ${route.method} ${route.path} (${status}). ${CHECK_URL}`;
}

function idOf(call: EngineCall): string {
  return call.engine.sanitize(escapeInvisible(String(call.id)));
}

function keyHint({ engine }: EngineCall): string {
  return engine.hasKey
    ? "Check that KB_API_KEY here equals the engine's KB_API_KEY."
    : "It requires a key: set KB_API_KEY to the engine's KB_API_KEY.";
}

/** Shows only the target's origin, because its path and query may hold secrets. */
function redirectMessage({ engine }: EngineCall, { status, location }: EngineResponse): string {
  const target = location === null ? null : URL.parse(location, engine.url);
  return target
    ? `redirects to ${engine.sanitize(target.origin)} (${status}). Set KB_ENGINE_URL to the final address.`
    : `responded with ${status} and no result. Set KB_ENGINE_URL to the engine's own address.`;
}
