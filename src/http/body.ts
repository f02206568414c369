import { refuse } from "./refusal.ts";

/** Bounds of a request's body. */
export interface BodyLimits {
  /** Most bytes. */
  readonly maxBytes: number;
  /** Time for all of it to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/** The bytes of a body, or the refusal of it. */
export type Body = { readonly bytes: Uint8Array } | { readonly refusal: Response };

/**
 * Reads a body with a limit on its size and on the time it takes to arrive. `Deno.serve` has neither.
 *
 * The size is counted while reading, whatever `Content-Length` says, so that nothing over the limit is held.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const { maxBytes, timeoutMs } = limits;
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > maxBytes) {
    await request.body?.cancel();
    return tooLarge(maxBytes);
  }
  if (request.body === null) return { bytes: new Uint8Array() };
  const reader = request.body.getReader();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    reader.cancel().catch(() => {});
  }, timeoutMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (timedOut) {
        return refuseAndClose(408, `Request timeout: the body must arrive within ${timeoutMs / 1000} s`);
      }
      if (done) return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : concat(chunks, size) };
      size += value.byteLength;
      if (size > maxBytes) {
        await reader.cancel();
        return tooLarge(maxBytes);
      }
      chunks.push(value);
    }
  } catch {
    // The client went away, or broke the framing; it will hardly read this.
    return refuseAndClose(400, "Bad request: the body broke off");
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maxBytes: number): { refusal: Response } {
  const limit = `${Math.floor(maxBytes / 1024)} KiB`;
  return refuseAndClose(
    413,
    `Content too large: the body must be at most ${limit} (KB_MCP_MAX_BODY). Send files in chunks with kb_upload_start`,
  );
}

function refuseAndClose(status: number, message: string): { refusal: Response } {
  return { refusal: refuse(status, message, { headers: { connection: "close" } }) };
}

function concat(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
