import { assertEquals, assertRejects } from "@std/assert";
import { encodeFrame, readFrames } from "../../src/extraction_process/frames.ts";

async function decode(chunks: Uint8Array[], maxPayloadBytes = 100): Promise<unknown[]> {
  const payloads = await Array.fromAsync(readFrames(ReadableStream.from(chunks), { maxPayloadBytes }));
  return payloads.map((payload) => JSON.parse(new TextDecoder().decode(payload)));
}

Deno.test("frames are read whatever the boundaries of the stream's chunks", async () => {
  const messages = [{ a: 1 }, "ü", [true]];
  const stream = new Uint8Array(await new Blob(messages.map(encodeFrame)).arrayBuffer());
  for (const size of [1, 2, 3, 5, 7, stream.length]) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
    assertEquals(await decode(chunks), messages);
  }
});

Deno.test("a partial frame at the end of the stream is dropped", async () => {
  assertEquals(await decode([encodeFrame(1), encodeFrame("cut").subarray(0, 6)]), [1]);
});

Deno.test("a frame that is empty or too long is refused before its payload arrives", async () => {
  for (const header of [[0, 0, 0, 0], [0, 0, 0, 101], [255, 255, 255, 255]]) {
    await assertRejects(() => decode([new Uint8Array(header)]), RangeError, "must have 1 to 100 bytes");
  }
});
