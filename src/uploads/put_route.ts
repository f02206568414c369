import { BodyError, type HttpRequest, jsonResponse } from "../web/mod.ts";
import { UploadError, type UploadErrorCode } from "./errors.ts";
import { HeaderError, parsePutHeaders } from "./put_headers.ts";
import type { Uploads } from "./uploads.ts";

const STATUS: Record<UploadErrorCode, number> = {
  not_found: 404,
  invalid: 400,
  too_large: 413,
  too_many: 429,
  busy: 409,
  stopping: 503,
  incomplete: 400,
  mismatch: 409,
  storage_full: 507,
  conflict: 409,
};

/**
 * Handles `PUT /uploads/{capability}`: the raw bytes of a file, or a part of it with `Content-Range` (RFC
 * 9110 §14.4).
 *
 * Returns the `UploadState` as JSON: 200 when all bytes have arrived, 202 when more are expected. Errors are
 * `{"error": {"code", "message", "resume_from"?}}`: 400 invalid headers or a body that broke off, 404 unknown
 * capability, 408 no bytes for `bodyTimeoutMs`, 409 wrong offset (resume from `resume_from`) or another
 * operation on the upload is running, 411 no `Content-Length`, 413 too large, 415 not raw bytes, 503 shutting
 * down, 507 disk full.
 *
 * @param request The caller has checked its method, Host and Origin. The capability authorizes it.
 * @param capability Last segment of the path.
 * @throws Errors that the client has not caused, such as a staging directory that was removed.
 *
 * @example
 * ```ts
 * import { handleUploadPut, Uploads } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * await using uploads = await Uploads.open({ maxBytes: 1e6, maxPerCaller: 8, maxStagedBytes: 1e7, idleMs: 600_000 });
 * const file = { filename: "hello.txt", totalSize: 5, tags: [], collection: "documents" };
 * const { capability } = await uploads.start("caller", file);
 * const request = new Request(`http://127.0.0.1/uploads/${capability}`, {
 *   method: "PUT",
 *   headers: { "content-length": "5" },
 *   body: "hello",
 * });
 * const response = await handleUploadPut(request, uploads, capability, { bodyTimeoutMs: 30_000 });
 * assertEquals(response.status, 200);
 * assertEquals((await response.json()).complete, true);
 * ```
 */
export async function handleUploadPut(
  request: HttpRequest,
  uploads: Uploads,
  capability: string,
  options: { bodyTimeoutMs: number },
): Promise<Response> {
  const { bodyTimeoutMs: idleTimeoutMs } = options;
  try {
    const range = parsePutHeaders(request.headers);
    const body = request.body ?? new Blob().stream();
    const state = await uploads.putRange(capability, range, body, { idleTimeoutMs });
    return jsonResponse(state, { status: state.complete ? 200 : 202 });
  } catch (error) {
    if (request.body?.locked === false) await request.body.cancel().catch(() => {});
    const described = describeError(error, idleTimeoutMs);
    uploads.recordPutError(capability, described.message);
    return errorResponse(described);
  }
}

interface DescribedError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly resumeFrom?: number | undefined;
}

function describeError(error: unknown, idleTimeoutMs: number): DescribedError {
  if (error instanceof HeaderError) return { status: error.status, code: "invalid", message: error.message };
  if (!(error instanceof UploadError)) throw error;
  const { code, message, resumeFrom, cause } = error;
  if (cause instanceof BodyError && cause.code === "timeout") {
    const stalled = `No bytes arrived for ${idleTimeoutMs / 1000} s. ${message}`;
    return { status: 408, code: "timeout", message: stalled, resumeFrom };
  }
  return { status: STATUS[code], code, message, resumeFrom };
}

function errorResponse({ status, code, message, resumeFrom }: DescribedError): Response {
  return jsonResponse(
    { error: { code, message, ...(resumeFrom === undefined ? {} : { resume_from: resumeFrom }) } },
    // The rest of the body may still arrive, and nothing reads it.
    { status, headers: { connection: "close", ...(code === "busy" ? { "retry-after": "5" } : {}) } },
  );
}
