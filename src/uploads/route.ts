import { parseContentRange } from "./content_range.ts";
import { UploadError, type UploadErrorKind } from "./errors.ts";
import { BodyStalled, withIdleDeadline } from "./idle_deadline.ts";
import type { RawRange } from "./types.ts";
import type { Uploads } from "./uploads.ts";

const STATUS: Record<UploadErrorKind, number> = {
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

/** A request that is refused for its headers. */
class HeaderError extends Error {
  readonly status: 400 | 411 | 415;

  constructor(status: 400 | 411 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Answers `PUT /uploads/{capability}`: the raw bytes of a file, or with `Content-Range` (RFC 9110 §14.4) a part of it.
 *
 * Answers in JSON: 200 with the {@linkcode UploadState} when all bytes are there, 202 with it when more are to come.
 * Errors are `{"error": {"code", "message", "resume_from"?}}`: 400 bad headers or a body that broke off, 404 unknown
 * capability, 408 nothing arrived for `bodyTimeoutMs`, 409 wrong offset (go on from `resume_from`), or something else
 * is being done with the upload, 411 no `Content-Length`, 413 too large, 415 not raw bytes, 503 the server is stopping, 507 disk full.
 *
 * @param request The method, Host and Origin are checked by whoever calls; the capability is the authorisation.
 * @param capability As it stands in the path.
 * @throws What is not the client's doing, such as a staging directory that was removed.
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
  request: Request,
  uploads: Uploads,
  capability: string,
  options: { bodyTimeoutMs: number },
): Promise<Response> {
  try {
    const range = readHeaders(request.headers);
    const body = withIdleDeadline(request.body ?? new Blob().stream(), options.bodyTimeoutMs);
    const state = await uploads.putRange(capability, range, body);
    return Response.json(state, { status: state.complete ? 200 : 202 });
  } catch (error) {
    if (request.body?.locked === false) await request.body.cancel().catch(() => {});
    if (error instanceof HeaderError) {
      uploads.noteRefusal(capability, error.message);
      return refuse(error.status, "invalid", error.message);
    }
    if (!(error instanceof UploadError)) throw error;
    const stalled = error.cause instanceof BodyStalled;
    const message = stalled
      ? `Nothing arrived for ${options.bodyTimeoutMs / 1000} s. ${error.message}`
      : error.message;
    uploads.noteRefusal(capability, message);
    return refuse(
      stalled ? 408 : STATUS[error.kind],
      stalled ? "timeout" : error.kind,
      message,
      error.resumeFrom,
    );
  }
}

function readHeaders(headers: Headers): RawRange {
  const type = headers.get("content-type") ?? "";
  if (/^multipart\//i.test(type.trim())) {
    throw new HeaderError(415, "The body must be the file's raw bytes, not a form: curl -T FILE URL.");
  }
  if (!/^(?:identity)?$/i.test((headers.get("content-encoding") ?? "").trim())) {
    throw new HeaderError(415, "The body must be the file's raw bytes, without Content-Encoding.");
  }
  const declared = headers.get("content-length");
  if (declared === null) {
    throw new HeaderError(
      411,
      "Content-Length is required: send the file with its size, as curl -T FILE URL does.",
    );
  }
  if (!/^\d{1,15}$/.test(declared)) {
    throw new HeaderError(
      400,
      `Content-Length must be a number of bytes, got ${JSON.stringify(declared.slice(0, 50))}.`,
    );
  }
  const length = Number(declared);
  const contentRange = headers.get("content-range");
  if (contentRange === null) return { length };
  const range = parseContentRange(contentRange);
  if (range.length !== length) {
    throw new HeaderError(
      400,
      `Content-Range covers ${range.length} bytes, but Content-Length is ${length}: they must be the same.`,
    );
  }
  return range;
}

function refuse(status: number, code: string, message: string, resumeFrom?: number): Response {
  return Response.json(
    { error: { code, message, ...(resumeFrom === undefined ? {} : { resume_from: resumeFrom }) } },
    // The rest of a refused body may still be on its way; nobody is going to read it.
    { status, headers: { connection: "close", ...(code === "busy" ? { "retry-after": "5" } : {}) } },
  );
}
