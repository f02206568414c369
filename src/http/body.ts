import type { Deadlines } from "./deadlines.ts";
import { refuse } from "./refusal.ts";

/** Bounds of a request's body. */
export interface BodyLimits {
  /** Most bytes. */
  readonly maxBytes: number;
  /** Ends the wait for a body that does not arrive. */
  readonly deadlines: Deadlines;
}

/** The bytes of a body, or the refusal of it. */
export type Body = { readonly bytes: Uint8Array } | { readonly refusal: Response };

/**
 * Reads a body with a limit on its size and on the time it takes to arrive. `Deno.serve` has neither. Never rejects.
 *
 * A body of a declared length is read in one go, five times as fast as piece by piece: HTTP/1.1 framing ends it at
 * that length. Any other is counted while it arrives, so that nothing over the limit is held.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const { maxBytes, deadlines } = limits;
  const declared = request.headers.get("content-length");
  try {
    if (declared !== null && Number(declared) > maxBytes) {
      await request.body?.cancel();
      return tooLarge(maxBytes);
    }
    const reader = declared === null ? request.body?.getReader() : undefined;
    const bytes = await inTime(reader ? readPieces(reader, maxBytes) : request.bytes(), deadlines);
    if (bytes === null) return tooLarge(maxBytes);
    if (bytes !== undefined) return { bytes };
    await reader?.cancel();
    return refuseAndClose(408, "Request timeout: the body did not arrive in time (KB_MCP_BODY_TIMEOUT)");
  } catch {
    // The client went away, or broke the framing; it will hardly read this.
    return refuseAndClose(400, "Bad request: the body broke off");
  }
}

/** What `work` comes to, or undefined when its time is over. */
function inTime<T>(work: Promise<T>, deadlines: Deadlines): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const wait = deadlines.start(() => {
      isOver = true;
      resolve(undefined);
    });
    work.then(
      (value) => {
        if (!isOver) deadlines.end(wait);
        resolve(value);
      },
      (error) => {
        if (!isOver) deadlines.end(wait);
        reject(error);
      },
    );
  });
}

/** Resolves to null as soon as there is too much. */
async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const { value, done } = await reader.read();
    if (done) return concat(pieces, size);
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return null;
    }
    pieces.push(value);
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
