import type { EngineCall } from "../engine_call.ts";
import type { ResponseErrorBody } from "../response_errors.ts";

/** Maximum number of FastAPI validation errors in a message. */
const MAX_VALIDATION_ERRORS = 10;

/**
 * Reads the body of an error response: `{"error": {code, message}}` of the contract, and FastAPI's
 * `{"detail": "…"}` and `{"detail": [{loc, msg}]}`.
 */
export function errorBody(
  call: EngineCall,
  { status, body }: { status: number; body: unknown },
): ResponseErrorBody {
  const { error, detail, message } = record(body);
  const { code, message: inner } = record(error);
  const candidates = [inner, error, detail, record(detail)["message"], message];
  const found = candidates.find((value) => typeof value === "string") ??
    (Array.isArray(detail) ? detail.slice(0, MAX_VALIDATION_ERRORS).map(validationError).join("; ") : "");
  // Without the final full stop, because callers quote the text at the end of a sentence.
  const text = call.engine.sanitize(String(found)).replace(/\.$/, "");
  return {
    code: impliedCode(call, status, text) ?? (typeof code === "string" ? code : undefined),
    message: text,
    isFromEngine: typeof code === "string" || typeof inner === "string" || (detail ?? null) !== null,
  };
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

function validationError(item: unknown): string {
  const { loc, msg } = record(item);
  const field = Array.isArray(loc) ? loc.filter((key) => key !== "body" && key !== "query").join(".") : "";
  return field ? `${field}: ${String(msg)}` : String(msg);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
