import { assert, assertEquals } from "@std/assert";
import { readBody } from "../../src/http/body.ts";
import { Deadlines } from "../../src/http/deadlines.ts";

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request("http://127.0.0.1/mcp", { method: "POST", body, headers });
}

function streamOf(...chunks: string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

/** Reads with a limit of 10 bytes, and of a minute by a clock that `whileReading` may turn. */
async function read(
  request: Request,
  whileReading: (deadlines: Deadlines, turn: (ms: number) => void) => void = () => {},
) {
  let now = 0;
  using deadlines = new Deadlines(60_000, () => now);
  const body = readBody(request, { maxBytes: 10, deadlines });
  whileReading(deadlines, (ms) => now += ms);
  return await body;
}

Deno.test("readBody joins what arrives in pieces", async () => {
  const body = await read(post(streamOf("01", "234", "", "56789")));
  assert("bytes" in body);
  assertEquals(new TextDecoder().decode(body.bytes), "0123456789");
});

Deno.test("readBody answers 413 to a body that says that it is too large, without reading it", async () => {
  let pulled = false;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => void (pulled = true) }, {
    highWaterMark: 0,
  });
  const body = await read(post(stream, { "content-length": "11" }));
  assert("refusal" in body);
  assertEquals(body.refusal.status, 413);
  assertEquals(pulled, false);
});

Deno.test("readBody answers 413 to a body that grows too large, without saying how large it is", async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(4)),
    cancel: () => void (cancelled = true),
  });
  const body = await read(post(endless));
  assert("refusal" in body);
  assertEquals(body.refusal.status, 413);
  assertEquals(body.refusal.headers.get("connection"), "close");
  assert(cancelled);
});

Deno.test("readBody answers 408 to a body that does not arrive in time", async () => {
  let cancelled = false;
  const stalled = new ReadableStream<Uint8Array<ArrayBuffer>>({ cancel: () => void (cancelled = true) });
  const body = await read(post(stalled), (deadlines, turn) => {
    turn(59_999);
    deadlines.sweep();
    assertEquals(cancelled, false);
    turn(1);
    deadlines.sweep();
  });
  assert("refusal" in body);
  assertEquals(body.refusal.status, 408);
  assert(cancelled);
});

Deno.test("readBody answers 400 to a body that breaks off", async () => {
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (c) => c.error(new TypeError("reset")),
  });
  const body = await read(post(broken));
  assert("refusal" in body);
  assertEquals(body.refusal.status, 400);
});

Deno.test("readBody reads a body of a declared length", async () => {
  const body = await read(post("0123456789", { "content-length": "10" }));
  assert("bytes" in body);
  assertEquals(new TextDecoder().decode(body.bytes), "0123456789");
});

Deno.test("readBody takes a missing body as an empty one", async () => {
  const body = await read(new Request("http://127.0.0.1/mcp", { method: "POST" }));
  assert("bytes" in body);
  assertEquals(body.bytes.byteLength, 0);
});
