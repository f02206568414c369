/** Length of the header of a frame: the length of its payload, big-endian. */
export const FRAME_HEADER_BYTES = 4;

/** Returns a frame with a JSON payload. */
export function encodeFrame(message: unknown): Uint8Array<ArrayBuffer> {
  const payload = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(FRAME_HEADER_BYTES + payload.byteLength);
  frame.set(frameHeader(payload.byteLength));
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/** Returns the header of a frame whose payload follows separately. */
export function frameHeader(payloadBytes: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, payloadBytes);
  return header;
}

/**
 * Splits a stream into the payloads of its frames. A partial frame at the end is dropped.
 *
 * @param maxPayloadBytes The sender is not trusted: a longer payload is refused before it is buffered.
 * @throws {RangeError} When a frame is too long.
 */
export async function* readFrames(
  stream: AsyncIterable<Uint8Array>,
  { maxPayloadBytes }: { maxPayloadBytes: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  const headerView = new DataView(header.buffer);
  let payload: Uint8Array<ArrayBuffer> | undefined;
  let filled = 0;
  for await (const bytes of stream) {
    for (let at = 0; at < bytes.byteLength;) {
      const target: Uint8Array = payload ?? header;
      const part = bytes.subarray(at, at + target.byteLength - filled);
      target.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < target.byteLength) continue;
      filled = 0;
      if (payload) {
        yield payload;
        payload = undefined;
        continue;
      }
      const length = headerView.getUint32(0);
      if (length === 0 || length > maxPayloadBytes) {
        throw new RangeError(
          `Cannot read frame: its payload must have 1 to ${maxPayloadBytes} bytes, got ${length}`,
        );
      }
      payload = new Uint8Array(length);
    }
  }
}
