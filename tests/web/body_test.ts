import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  assertContentLength,
  BodyError,
  type BodyErrorCode,
  type BodyLimits,
  readBytes,
  readChunks,
  readRequestChunks,
  readText,
} from "../../src/web/mod.ts";

const LIMITS: BodyLimits = { maxBytes: 10 };

const encode = (text: string) => new TextEncoder().encode(text);

/** A body that the test sends chunk by chunk. */
function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  return {
    readable,
    send: (text: string) => writer.write(encode(text)),
    fail: (error: Error) => writer.abort(error),
    close: () => writer.close(),
    /** Settles when the reader has cancelled the stream. */
    cancelled: writer.closed.then(() => {}, () => {}),
  };
}

/** Timers that fire when the test says so. */
function manualTimers() {
  const started: { ms: number; fire: () => void; isCancelled: boolean }[] = [];
  const startTimer: BodyLimits["startTimer"] = (onTimeout, ms) => {
    const timer = { ms, fire: onTimeout, isCancelled: false };
    started.push(timer);
    return () => void (timer.isCancelled = true);
  };
  return { started, startTimer };
}

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", { method: "POST", body, headers });
}

async function assertFails(read: () => Promise<unknown>, code: BodyErrorCode): Promise<BodyError> {
  const error = await assertRejects(read, BodyError);
  assertEquals(error.code, code);
  return error;
}

Deno.test("chunks are read in order up to the size limit", async () => {
  const { readable, send, close } = openBody();
  const reading = Array.fromAsync(readChunks(readable, LIMITS));
  await send("hello");
  await send("world");
  await close();
  assertEquals(await reading, [encode("hello"), encode("world")]);
});

Deno.test("a missing body has no chunks, no bytes and no text", async () => {
  assertEquals(await Array.fromAsync(readChunks(null, LIMITS)), []);
  assertEquals(await readBytes(new Response(null), LIMITS), new Uint8Array());
  assertEquals(await readText(request(null), LIMITS), "");
});

Deno.test("the first byte over the limit rejects the body and cancels its stream", async () => {
  const { readable, send, cancelled } = openBody();
  const reading = assertFails(() => readBytes(new Response(readable), LIMITS), "too_large");
  await send("hello");
  await send("world!");
  assertEquals((await reading).message, "The body must be at most 10 bytes");
  await cancelled;
});

for (const declared of ["11", "1e3"]) {
  Deno.test(`a declared length of ${declared} rejects the body before a byte is read`, async () => {
    for (const read of [readBytes, readText]) {
      const { readable, cancelled } = openBody();
      const response = new Response(readable, { headers: { "content-length": declared } });
      await assertFails(() => read(response, LIMITS), "too_large");
      await cancelled;
    }
  });
}

Deno.test("a declared length within the limit is accepted", () => {
  for (const declared of ["0", "10", "ten"]) {
    assertContentLength(request(null, { "content-length": declared }), LIMITS.maxBytes);
  }
});

Deno.test("a request that declares its length is read whole, and its real size still counts", async () => {
  assertEquals(await readText(request("helloworld", { "content-length": "10" }), LIMITS), "helloworld");
  await assertFails(() => readBytes(request("helloworld!", { "content-length": "5" }), LIMITS), "too_large");
});

Deno.test("bytes of several chunks are joined in order", async () => {
  const { readable, send, close } = openBody();
  const reading = readBytes(request(readable), LIMITS);
  for (const text of ["ab", "", "c"]) await send(text);
  await close();
  assertEquals(await reading, encode("abc"));
});

Deno.test("a stream error is reported as disconnected, with its cause", async () => {
  const reset = new Error("connection reset");
  for (const headers of [{}, { "content-length": "10" }]) {
    const { readable, send, fail } = openBody();
    const reading = assertFails(() => readBytes(request(readable, headers), LIMITS), "disconnected");
    await send("hello");
    await fail(reset);
    assertEquals((await reading).cause, reset);
  }
});

Deno.test("text must be UTF-8, also when a character spans two chunks", async () => {
  const { readable, send, close } = openBody();
  const writer = readText(new Response(readable), LIMITS);
  await send("Zü");
  await close();
  assertEquals(await writer, "Zü");
  const halves = ReadableStream.from([Uint8Array.of(0xc3), Uint8Array.of(0xbc)]);
  assertEquals(await readText(new Response(halves), LIMITS), "ü");
  await assertFails(() => readText(new Response(Uint8Array.of(0xc3)), LIMITS), "invalid_utf8");
});

for (const headers of [{}, { "content-length": "10" }]) {
  const kind = "content-length" in headers ? "with" : "without";
  Deno.test(`a body ${kind} a declared length that is late fails with timeout`, async () => {
    const { started, startTimer } = manualTimers();
    const { readable, cancelled } = openBody();
    const reading = assertFails(
      () => readBytes(request(readable, headers), { ...LIMITS, timeoutMs: 5_000, startTimer }),
      "timeout",
    );
    assertEquals(started.map(({ ms }) => Math.round(ms / 100)), [50]);
    started[0]!.fire();
    await reading;
    await cancelled;
  });

  Deno.test(`an abort stops reading a body ${kind} a declared length`, async () => {
    const controller = new AbortController();
    const { readable } = openBody();
    const reading = assertFails(
      () => readBytes(request(readable, headers), { ...LIMITS, signal: controller.signal }),
      "aborted",
    );
    const reason = new Error("shutting down");
    controller.abort(reason);
    assertEquals((await reading).cause, reason);
    await assertFails(
      () => readBytes(request("hello", headers), { ...LIMITS, signal: controller.signal }),
      "aborted",
    );
  });

  Deno.test(`a body ${kind} a declared length leaves no timer behind`, async () => {
    const { started, startTimer } = manualTimers();
    await readBytes(request("hello", headers), { ...LIMITS, timeoutMs: 5_000, startTimer });
    assertEquals(started.map(({ isCancelled }) => isCancelled), [true]);
  });
}

Deno.test("received bytes extend the timeout by the time that the minimum rate grants them", async () => {
  const { started, startTimer } = manualTimers();
  const { readable, send, cancelled } = openBody();
  const chunks = readChunks(readable, { ...LIMITS, timeoutMs: 1_000, minBytesPerMs: 0.001, startTimer });
  const first = chunks.next();
  await send("hello");
  assertEquals((await first).value, encode("hello"));
  const second = chunks.next();
  started[0]!.fire();
  assertEquals(started.length, 2, "five bytes at 1 byte per second have extended the timeout");
  assertEquals(Math.round(started[1]!.ms), 5_000);
  const failed = assertFails(() => second, "timeout");
  started[1]!.fire();
  await failed;
  await cancelled;
});

Deno.test("a body sent one byte at a time cannot extend its timeout for ever", async () => {
  let interval: ReturnType<typeof setInterval> | undefined;
  const drops = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      interval = setInterval(() => controller.enqueue(new Uint8Array(1)), 1);
    },
    cancel: () => clearInterval(interval),
  });
  const limits = { maxBytes: 1e6, timeoutMs: 20, minBytesPerMs: 64 };
  await assertFails(() => readBytes(new Response(drops), limits), "timeout");
});

Deno.test("without a minimum rate received bytes do not extend the timeout", async () => {
  const { started, startTimer } = manualTimers();
  const { readable, send } = openBody();
  const chunks = readChunks(readable, { ...LIMITS, timeoutMs: 1_000, startTimer });
  const first = chunks.next();
  await send("hello");
  await first;
  const failed = assertFails(() => chunks.next(), "timeout");
  started[0]!.fire();
  await failed;
});

Deno.test("the idle timeout starts again at each chunk, and pauses while the consumer works", async () => {
  const { started, startTimer } = manualTimers();
  const { readable, send } = openBody();
  const chunks = readChunks(readable, { ...LIMITS, idleTimeoutMs: 1_000, startTimer });
  const first = chunks.next();
  await send("hello");
  await first;
  started[0]!.fire(); // while the consumer has the chunk
  const second = chunks.next();
  await send("world");
  assertEquals((await second).value, encode("world"));
  const failed = assertFails(() => chunks.next(), "timeout");
  // The timer of the second wait fires first; a later one then covers the rest of the third wait.
  for (let n = 1; n < started.length; n++) started[n]!.fire();
  await failed;
});

Deno.test("the earlier of the total and the idle timeout applies", async () => {
  const { started, startTimer } = manualTimers();
  const { readable } = openBody();
  const limits = { ...LIMITS, timeoutMs: 5_000, idleTimeoutMs: 1_000, startTimer };
  const failed = assertFails(() => readChunks(readable, limits).next(), "timeout");
  assertEquals(started.map(({ ms }) => Math.round(ms / 100)), [10]);
  started[0]!.fire();
  await failed;
});

Deno.test("a real timer ends a body that stalls", async () => {
  const { readable, cancelled } = openBody();
  await assertFails(() => readChunks(readable, { ...LIMITS, timeoutMs: 5 }).next(), "timeout");
  await cancelled;
});

Deno.test("a consumer that stops early cancels the stream", async () => {
  const { readable, send, cancelled } = openBody();
  const sent = send("hello");
  for await (const chunk of readChunks(readable, LIMITS)) {
    assertEquals(chunk, encode("hello"));
    break;
  }
  await sent;
  await cancelled;
});

Deno.test("an abort while the consumer works stops the next read", async () => {
  const controller = new AbortController();
  const { readable, send } = openBody();
  const chunks = readChunks(readable, { ...LIMITS, signal: controller.signal });
  const first = chunks.next();
  await send("hello");
  assert(!(await first).done);
  controller.abort();
  await assertFails(() => chunks.next(), "aborted");
});

Deno.test("a body of single bytes is read whole", async () => {
  const text = "x".repeat(5000);
  const single = ReadableStream.from(Array.from(encode(text), (byte) => Uint8Array.of(byte)));
  assertEquals(await readText(new Response(single), { maxBytes: 5000 }), text);
});

Deno.test("a request that has arrived with its head is not read as a stream", async () => {
  const receivedBody = encode("hello");
  const message = Object.assign(request("other"), { receivedBody });
  assertEquals(await readBytes(message, LIMITS), receivedBody);
  assertEquals(await Array.fromAsync(readRequestChunks(message, LIMITS)), [receivedBody]);
  await assertFails(
    () => readBytes(Object.assign(request("other"), { receivedBody }), { maxBytes: 4 }),
    "too_large",
  );
  await assertFails(() => readRequestChunks(message, { maxBytes: 4 }).next(), "too_large");
});

Deno.test("chunks of a request that has arrived create no stream", async () => {
  const receivedBody = encode("hello");
  const message = {
    receivedBody,
    get body(): never {
      throw new Error("A stream must not be created");
    },
  };
  assertEquals(await Array.fromAsync(readRequestChunks(message, LIMITS)), [receivedBody]);
});

Deno.test("memory is charged for large bodies as they arrive, in doubling amounts up to the limit", async () => {
  const charged: number[] = [];
  const memory = { tryGrow: (bytes: number) => charged.push(bytes) > 0 };
  const chunks = ReadableStream.from(Array.from({ length: 5 }, () => new Uint8Array(10_000)));
  const body = request(chunks, { "content-length": "50000" });
  assertEquals((await readBytes(body, { maxBytes: 50_000, memory })).byteLength, 50_000);
  assertEquals(charged, [20_000, 20_000, 10_000]);
});

Deno.test("a body that gets no memory is rejected, and its stream cancelled", async () => {
  const { readable, send, cancelled } = openBody();
  const limits = { maxBytes: 1e6, memory: { tryGrow: () => false } };
  const reading = assertFails(() => readBytes(request(readable), limits), "busy");
  await send("x".repeat(20_000));
  await reading;
  await cancelled;
});

Deno.test("the structure of a JSON body over 64 KiB is limited, that of a smaller one is not", async () => {
  const limits = { maxBytes: 1e6, isJson: true };
  assertEquals((await readBytes(request("[".repeat(65_536)), limits)).byteLength, 65_536);
  await assertFails(() => readBytes(request("[".repeat(65_537)), limits), "too_complex");
  await assertFails(() => readBytes(request(`{"a":${"[".repeat(65_537)}`), limits), "too_complex");
  assertEquals((await readBytes(request("[".repeat(65_537)), { maxBytes: 1e6 })).byteLength, 65_537);
});
