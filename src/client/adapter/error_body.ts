import { ERROR_STATUS, type ErrorCode } from "../../contract/mod.ts";
import { type EngineCall, MAX_LOG_TEXT } from "../engine_call.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { ResponseErrorBody } from "../response_errors.ts";

/** Maximum number of FastAPI validation errors in a message. */
const MAX_VALIDATION_ERRORS = 10;

/**
 * Reads the body of an error response: `{"error": {code, message}}` of the contract, and FastAPI's
 * `{"detail": "…"}` and `{"detail": [{loc, msg}]}`.
 */
export function errorBody(
  call: EngineCall,
  { status, body, log }: { status: number; body: unknown; log: Logger },
): ResponseErrorBody {
  const { error, detail, message } = record(body);
  const { code, message: inner, details } = record(error);
  const candidates = [inner, error, detail, record(detail)["message"], message];
  const found = candidates.find((value) => typeof value === "string") ??
    (Array.isArray(detail) ? detail.slice(0, MAX_VALIDATION_ERRORS).map(validationError).join("; ") : "");
  const text = String(found);
  const isForCallers = status < 500 && typeof inner === "string" && isContractCode(code, status);
  return {
    code: (code === "conflict" ? undefined : impliedCode(call, status, text)) ??
      (typeof code === "string" ? code : undefined),
    // Without the final full stop, because callers quote the text at the end of a sentence.
    message: isForCallers ? call.engine.sanitize(text).replace(/\.$/, "") : "",
    details: isForCallers ? sanitizeFields(call, record(details)) : {},
    isFromEngine: typeof code === "string" || typeof inner === "string" || (detail ?? null) !== null,
    logText() {
      if (text === "") return undefined;
      const reference = crypto.randomUUID().slice(0, 8);
      const message = call.engine.sanitize(text, MAX_LOG_TEXT);
      log.warn("engine sent an error", { reference, call: call.name, status, message });
      return reference;
    },
  };
}

function isContractCode(code: unknown, status: number): boolean {
  return typeof code === "string" && Object.hasOwn(ERROR_STATUS, code) &&
    ERROR_STATUS[code as ErrorCode] === status;
}

/** Derives the contract's code from status and message, for engines without codes or with other ones. */
function impliedCode({ name }: EngineCall, status: number, text: string): ResponseErrorBody["code"] {
  // Contract 3.0 sends `unauthorized` for a host name, too.
  if (status === 403 && /\bhosts?\b|\bloopback\b/i.test(text)) return "host_not_allowed";
  if (name !== "updateNote") return undefined;
  // 409 has no other meaning on this route; 400 and 422 may also reject the new text.
  const isAboutType = (status === 400 || status === 422) &&
    /\bonly (?:a )?notes?\b|\bnot an? note\b|\bnon-note\b/i.test(text);
  return status === 409 || isAboutType ? "not_a_note" : undefined;
}

function sanitizeFields({ engine }: EngineCall, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map((
      [name, value],
    ) => [name, typeof value === "string" ? engine.sanitize(value) : value]),
  );
}

function validationError(item: unknown): string {
  const { loc, msg } = record(item);
  const keys = Array.isArray(loc) ? loc.map(plainText) : [];
  const field = keys.filter((key) => !["", "body", "query"].includes(key)).join(".");
  return [field, plainText(msg)].filter((part) => part !== "").join(": ");
}

/** Returns "" for an object: `String` throws a TypeError for `{"toString": 1}`. */
function plainText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
