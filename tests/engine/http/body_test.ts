import { assertEquals, assertRejects } from "@std/assert";
import { readBody } from "../../../src/engine/http/body.ts";
import { HttpError } from "../../../src/engine/http/errors.ts";

const LIMITS = { maxBytes: 100, timeoutMs: 60_000, signal: new AbortController().signal };

function post(
  body: ReadableStream<Uint8Array> | string | undefined,
  headers: Record<string, string> = {},
): Request {
  return new Request("http://engine", { method: "POST", headers, ...(body === undefined ? {} : { body }) });
}

async function read(request: Request, limits: Partial<typeof LIMITS> = {}): Promise<string> {
  let text = "";
  for await (const piece of readBody(request, { ...LIMITS, ...limits })) {
    text += new TextDecoder().decode(piece);
  }
  return text;
}

/** A body that sends a piece and then nothing, and remembers whether it was given up. */
function stalled(): { body: ReadableStream<Uint8Array>; isCancelled: () => boolean } {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new Uint8Array(10)),
    cancel: () => {
      cancelled = true;
    },
  });
  return { body, isCancelled: () => cancelled };
}

Deno.test("readBody: yields what was sent, up to the limit", async () => {
  assertEquals(await read(post("x".repeat(100))), "x".repeat(100));
  assertEquals(await read(post(undefined)), "");
});

Deno.test("readBody: one byte over the limit is too large, announced or not", async () => {
  const streamed = post(ReadableStream.from([new Uint8Array(60), new Uint8Array(41)]));
  assertEquals((await assertRejects(() => read(streamed), HttpError)).code, "too_large");
  const announced = post(stalled().body, { "content-length": "101" });
  assertEquals((await assertRejects(() => read(announced), HttpError)).code, "too_large");
});

Deno.test("readBody: a body that stalls ends at the deadline, and the stream is given up", async () => {
  const { body, isCancelled } = stalled();
  const error = await assertRejects(() => read(post(body), { timeoutMs: 5 }), HttpError);
  assertEquals([error.code, isCancelled()], ["timeout", true]);
});

Deno.test("readBody: a body that comes in drops does not outlive the deadline", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  const drops = new ReadableStream<Uint8Array>({
    start: (stream) => {
      timer = setInterval(() => stream.enqueue(new Uint8Array(1)), 1);
    },
    cancel: () => clearInterval(timer),
  });
  const error = await assertRejects(() => read(post(drops), { timeoutMs: 20, maxBytes: 1e6 }), HttpError);
  assertEquals(error.code, "timeout");
});

Deno.test("readBody: a large body earns time as it comes", async () => {
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      // 64 KiB earn a second each; all together take longer than the limit alone allows.
      if (pieces > 0) await new Promise((resolve) => setTimeout(resolve, 60));
      if (++pieces > 4) stream.close();
      else stream.enqueue(new Uint8Array(65_536));
    },
  });
  let size = 0;
  for await (const piece of readBody(post(body), { ...LIMITS, timeoutMs: 150, maxBytes: 2 ** 20 })) {
    size += piece.length;
  }
  assertEquals(size, 4 * 65_536);
});

Deno.test("readBody: a shutdown ends it at once, also one that came before", async () => {
  const closing = new AbortController();
  const { body, isCancelled } = stalled();
  const pending = assertRejects(() => read(post(body), { signal: closing.signal }), HttpError);
  closing.abort();
  assertEquals([(await pending).code, isCancelled()], ["shutting_down", true]);
  const late = await assertRejects(() => read(post(stalled().body), { signal: closing.signal }), HttpError);
  assertEquals(late.code, "shutting_down");
});

Deno.test("readBody: a consumer that stops gives the stream up", async () => {
  const { body, isCancelled } = stalled();
  for await (const _ of readBody(post(body), LIMITS)) break;
  assertEquals(isCancelled(), true);
});

Deno.test("readBody: a connection that breaks is the sender's to repeat", async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (stream) => stream.error(new Error("reset")) });
  const error = await assertRejects(() => read(post(body)), HttpError, "send it again");
  assertEquals([error.code, (error.cause as Error).message], ["invalid", "reset"]);
});
