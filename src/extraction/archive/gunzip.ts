import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** Number of compressed bytes that are unpacked at once. */
const SLICE_BYTES = 65_536;

/**
 * Unpacks gzip data (RFC 1952) as a stream, so that nothing depends on the declared size, which is only the lowest 32 bits
 * and often wrong.
 *
 * @throws {Error} When the data is damaged or truncated.
 */
export async function* gunzip(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const slices = function* () {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
  };
  yield* Readable.from(slices(), { objectMode: false }).pipe(createGunzip());
}
