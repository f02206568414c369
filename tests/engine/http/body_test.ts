import { assertEquals, assertStringIncludes } from "@std/assert";
import { EmbeddedEngine, formOf } from "../../support/embedded_engine.ts";

const MiB = 2 ** 20;
const JSON_TYPE = { "content-type": "application/json" };

/** A body that has sent some bytes and then waits. */
function openBody(start: Uint8Array<ArrayBuffer>) {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let parts = 0;
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (own) => {
      controller = own;
      // The second part is requested when the first one was taken.
      if (parts++ === 0) own.enqueue(start);
      else resolve();
    },
  }, { highWaterMark: 0 });
  return { readable, isRead, close: () => controller.close() };
}

Deno.test("JSON bodies of many values are rejected before they are parsed", async () => {
  await using engine = await EmbeddedEngine.open();
  for (
    const [text, message] of [
      [`{"query":"x","filter":[${"1,".repeat(40_000)}1]}`, "at most 10000 values and 64 levels"],
      [`[${"1,".repeat(40_000)}1]`, "one JSON object, got an array"],
    ] as const
  ) {
    const body = new TextEncoder().encode(text);
    const response = await engine.call("search", { body, headers: JSON_TYPE });
    assertEquals([response.status, response.body.error.code], [400, "invalid"]);
    assertEquals(response.headers.get("connection"), "close");
    assertStringIncludes(response.body.error.message, message);
  }
});

Deno.test("a body that is too large closes the connection", async () => {
  await using engine = await EmbeddedEngine.open();
  const headers = { ...JSON_TYPE, "content-length": String(9 * MiB) };
  const response = await engine.call("search", { body: openBody(new Uint8Array(1)).readable, headers });
  assertEquals([response.status, response.headers.get("connection")], [413, "close"]);
});

Deno.test("bodies that take all memory make the engine busy for large requests until they end", async () => {
  await using engine = await EmbeddedEngine.open();
  const start = new Uint8Array(8 * MiB - 1).fill(0x20);
  const bodies = Array.from({ length: 7 }, () => openBody(start));
  const receiving = bodies.map(({ readable }) =>
    engine.call("search", { body: readable, headers: JSON_TYPE, address: "192.0.2.1" })
  );
  for (const { isRead } of bodies) await isRead;

  const large = { text: "x".repeat(100_000) };
  const send = (address: string) => engine.call("createJob", { body: formOf(large), address });
  const busy = await send("192.0.2.1");
  assertEquals([busy.status, busy.body.error.code, busy.headers.get("retry-after")], [503, "busy", "1"]);
  assertEquals((await engine.call("search", { body: { query: "x" }, address: "192.0.2.1" })).status, 200);
  assertEquals((await send("192.0.2.2")).status, 202);
  assertEquals((await engine.call("createJob", { body: formOf(large) })).status, 202);

  for (const { close } of bodies) close();
  for (const response of receiving) assertEquals((await response).status, 400);
  assertEquals((await send("192.0.2.1")).status, 202);
});

Deno.test("an error shows the invisible characters of its request", async () => {
  await using engine = await EmbeddedEngine.open();
  const unknown = await engine.fetch("GET", "/api/v1/jobs/%E2%80%AE7");
  const invalid = await engine.call("search", { body: { query: "x", top: "5\u202e" } });
  assertStringIncludes(unknown.body.error.message, String.raw`no job \u202e7`);
  assertStringIncludes(invalid.body.error.message, String.raw`"5\u202e"`);
  for (const { body } of [unknown, invalid]) assertEquals(JSON.stringify(body).includes("\u202e"), false);
});
