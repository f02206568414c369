import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { handleUploadPut, UploadError } from "../../src/uploads/mod.ts";
import { plainHandler } from "../support/plain_handler.ts";
import { base64, body, CALLER, Fixture, openBody, stagingDirectory } from "./support.ts";

/** Sends a PUT request as `Deno.serve` passes it to the handler. */
function put(
  fixture: Fixture,
  capability: string,
  content: string | ReadableStream<Uint8Array<ArrayBuffer>> | null,
  headers: Record<string, string> = {},
  bodyTimeoutMs = 30_000,
): Promise<Response> {
  const request = new Request(`http://127.0.0.1/uploads/${capability}`, {
    method: "PUT",
    body: content,
    headers: typeof content === "string" ? { "content-length": String(content.length), ...headers } : headers,
  });
  return handleUploadPut(request, fixture.uploads, capability, { bodyTimeoutMs });
}

/** Returns the status and the error of a response. */
async function error(response: Response) {
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.headers.get("connection"), "close");
  const { error } = await response.json();
  return { status: response.status, ...error };
}

Deno.test("PUT of a whole file returns 200 with the state", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const response = await put(fixture, capability, "helloworld");
  assertEquals(response.status, 200);
  const state = await response.json();
  assertEquals([state.upload_id, state.received_bytes, state.complete], [upload_id, 10, true]);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("PUT of a range returns 202 with the state, and the last one 200", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const first = await put(fixture, capability, "hello", { "content-range": "bytes 0-4/10" });
  assertEquals([first.status, (await first.json()).received_bytes], [202, 5]);
  const last = await put(fixture, capability, "world", { "content-range": "bytes 5-9/*" });
  assertEquals([last.status, (await last.json()).complete], [200, true]);
});

Deno.test("PUT to an unknown or used capability returns 404", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const unknown = await error(await put(fixture, "A".repeat(43), "helloworld"));
  assertEquals([unknown.status, unknown.code], [404, "not_found"]);
  await (await put(fixture, capability, "helloworld")).body?.cancel();
  assertEquals(await error(await put(fixture, capability, "helloworld")), unknown);
});

Deno.test("PUT at a wrong offset returns 409 with the offset to resume from", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  await (await put(fixture, capability, "hello", { "content-range": "bytes 0-4/10" })).body?.cancel();
  const { status, code, message, resume_from } = await error(
    await put(fixture, capability, "hello", { "content-range": "bytes 0-4/10" }),
  );
  assertEquals([status, code, resume_from], [409, "conflict", 5]);
  assertStringIncludes(message, "Resume from byte 5");
});

Deno.test("PUT to an upload that has received chunks returns 409", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  const { status, message, resume_from } = await error(await put(fixture, capability, "helloworld"));
  assertEquals([status, resume_from], [409, undefined]);
  assertStringIncludes(message, "continue with kb_upload_chunk");
});

const BAD_HEADERS: [mistake: string, headers: Record<string, string>, status: number, message: string][] = [
  [
    "a Content-Length that is not a number",
    { "content-length": "ten" },
    400,
    "Content-Length must be a number of bytes",
  ],
  [
    "a Content-Length with a sign",
    { "content-length": "+10" },
    400,
    "Content-Length must be a number of bytes",
  ],
  ["a malformed Content-Range", { "content-range": "bytes 0-/10" }, 400, "Content-Range must be"],
  [
    "a Content-Range shorter than the body",
    { "content-range": "bytes 0-4/10" },
    400,
    "covers 5 bytes, but",
  ],
  [
    "a Content-Range of another file",
    { "content-range": "bytes 0-9/99" },
    400,
    "declares a file of 99 bytes",
  ],
  ["a form", { "content-type": "multipart/form-data; boundary=x" }, 415, "raw bytes, not a form"],
  ["a compressed body", { "content-encoding": "gzip" }, 415, "without Content-Encoding"],
];
for (const [mistake, headers, status, message] of BAD_HEADERS) {
  Deno.test(`PUT with ${mistake} returns ${status} and stores nothing`, async () => {
    await using fixture = await Fixture.open();
    const { capability } = await fixture.start();
    const rejected = await error(await put(fixture, capability, "helloworld", headers));
    assertEquals(rejected.status, status);
    assertStringIncludes(rejected.message, message);
    assertEquals(fixture.uploads.active.bytes, 0);
  });
}

Deno.test("PUT without Content-Length returns 411 and does not read the body", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const { readable, closed } = openBody();
  const rejected = await error(await put(fixture, capability, readable));
  assertEquals(rejected.status, 411);
  await closed;
});

Deno.test("PUT with a missing or too short body returns 400", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  for (const content of ["", "hello"]) {
    assertEquals((await error(await put(fixture, capability, content))).status, 400);
  }
  assertEquals((await error(await put(fixture, capability, null, { "content-length": "10" }))).status, 400);
});

Deno.test("PUT that declares too many bytes returns 413 before reading the body", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const { readable, closed } = openBody();
  const rejected = await error(await put(fixture, capability, readable, { "content-length": "11" }));
  assertEquals([rejected.status, rejected.code], [413, "too_large"]);
  await closed;
});

Deno.test("PUT with more bytes than declared returns 413 and drops them", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const rejected = await error(
    await put(fixture, capability, body("hello", "worlds"), { "content-length": "10" }),
  );
  assertEquals([rejected.status, rejected.resume_from], [413, 0]);
  assertEquals(fixture.uploads.active.bytes, 0);
});

Deno.test("PUT whose body stalls returns 408 and keeps its bytes, and a range resumes from there", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const { readable, send, closed } = openBody();
  const stalling = put(fixture, capability, readable, { "content-length": "10" }, 20);
  await send("hello");
  const rejected = await error(await stalling);
  assertEquals([rejected.status, rejected.code, rejected.resume_from], [408, "timeout", 5]);
  assertStringIncludes(
    rejected.message,
    "No bytes arrived for 0.02 s. The body broke off, 5 bytes are kept.",
  );
  await closed;
  const rest = await put(fixture, capability, "world", { "content-range": "bytes 5-9/10" });
  assertEquals((await rest.json()).complete, true);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("PUT while another one is running returns 409 with Retry-After", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const { readable, send, close } = openBody();
  const running = put(fixture, capability, readable, { "content-length": "10" });
  await send("hello");
  const second = await put(fixture, capability, "helloworld");
  assertEquals(second.headers.get("retry-after"), "5");
  assertEquals((await error(second)).status, 409);
  await send("world");
  await close();
  assertEquals((await (await running).json()).complete, true);
});

Deno.test({
  name: "PUT on a full disk returns 507 without a path",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using fixture = await Fixture.open();
    const { upload_id, capability } = await fixture.start();
    // Writing to /dev/full fails with ENOSPC.
    await Deno.symlink("/dev/full", `${await stagingDirectory(fixture.parent)}/${upload_id}/raw`);
    const rejected = await error(await put(fixture, capability, "helloworld"));
    assertEquals(rejected.status, 507);
    assert(!rejected.message.includes("/"), rejected.message);
  },
});

Deno.test("a PUT whose connection is closed keeps its bytes, and a range completes the file", async () => {
  const size = 1_000_000;
  await using fixture = await Fixture.open({ maxBytes: size, maxStagedBytes: size });
  const { upload_id, capability } = await fixture.start({ totalSize: size });
  const ended = Promise.withResolvers<void>();
  const handler = plainHandler(async (request) => {
    try {
      return await handleUploadPut(request, fixture.uploads, capability, { bodyTimeoutMs: 30_000 });
    } finally {
      ended.resolve();
    }
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  const bytes = new Uint8Array(size).map((_, index) => index % 251);
  {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    const writer = connection.writable.getWriter();
    const head = `PUT /uploads/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
    await writer.write(new TextEncoder().encode(head));
    await writer.write(bytes.subarray(0, 400_000));
  }
  await ended.promise;
  const from = fixture.uploads.active.bytes;
  assert(from > 0 && from <= 400_000, `kept ${from}`);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, {
    method: "PUT",
    body: bytes.subarray(from),
    headers: { "content-range": `bytes ${from}-${size - 1}/${size}` },
  });
  assertEquals([response.status, (await response.json()).complete], [200, true]);
  const received = await fixture.uploads.finish(
    CALLER,
    upload_id,
    async ({ open }) => new Uint8Array(await new Response(await open()).arrayBuffer()),
  );
  assert(received.every((byte, index) => byte === index % 251) && received.length === size);
});

Deno.test("a PUT interrupted by the shutdown returns 503 without an offset to resume from", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const { readable, send, closed } = openBody();
  const interrupted = put(fixture, capability, readable, { "content-length": "10" });
  await send("hello");
  await fixture.uploads[Symbol.asyncDispose]();
  const stopping = {
    status: 503,
    code: "stopping",
    message: "The server is shutting down: start again with kb_upload_start once it is back.",
  };
  assertEquals(await error(await interrupted), stopping);
  assertEquals(await error(await put(fixture, capability, "helloworld")), stopping);
  await closed;
});

Deno.test("finish does not repeat the error of a PUT that later succeeded", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start({ sha256: "0".repeat(64) });
  await (await put(fixture, capability, "hello")).body?.cancel();
  await (await put(fixture, capability, "helloworld")).body?.cancel();
  await assertRejects(() => fixture.receive(upload_id), UploadError, "The bytes were dropped");
  await assertRejects(() => fixture.receive(upload_id), UploadError, "10 are expected. Send them with");
});

Deno.test("finish without any bytes repeats the error of the last PUT", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const rejected: [string, Record<string, string>][] = [
    ["helloworld!", {}],
    ["hello", { "content-length": "many" }],
    ["hello", { "content-range": "bytes 3-7/10" }],
  ];
  for (const [content, headers] of rejected) {
    const { message } = await error(await put(fixture, capability, content, headers));
    assertStringIncludes(
      String(await fixture.receive(upload_id).catch((reason) => reason.message)),
      `no bytes have arrived, 10 are expected. The last PUT failed: ${message} Send them with`,
    );
  }
});
