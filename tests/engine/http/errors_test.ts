import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createLogger } from "../../../src/telemetry/mod.ts";
import { EmbeddedEngine, formOf, type Send } from "../../support/embedded_engine.ts";

const JSON_TYPE = { "content-type": "application/json" };
const bytes = (text: string) => new TextEncoder().encode(text);
const form = (fields: Parameters<typeof formOf>[0]): Send => ({ body: formOf(fields) });
const multipart = (body: string): Send => ({
  body: bytes(body),
  headers: { "content-type": "multipart/form-data; boundary=x" },
});

/** Invalid requests, with the status and a part of the message of their error responses. */
const INVALID: [problem: string, request: string, send: Send, status: number, message: string][] = [
  ["an unknown path", "GET /api/v1/nothing", {}, 404, "openapi.json"],
  ["a path of another API version", "GET /api/v2/status", {}, 404, "openapi.json"],
  ["a wrong method", "PUT /api/v1/jobs", {}, 405, "one of POST, GET, HEAD, got PUT"],
  ["an unknown document", "GET /api/v1/documents/999", {}, 404, "no document 999"],
  ["an id that is not an integer", "GET /api/v1/documents/abc", {}, 404, "no document abc"],
  ["an id with a sign", "DELETE /api/v1/documents/-1", {}, 404, "no document -1"],
  ["an id over the maximum integer", "GET /api/v1/jobs/99999999999999999999", {}, 404, "no job 9999"],
  ["an id with broken escapes", "GET /api/v1/jobs/%ff", {}, 404, "no job %ff"],
  ["an unknown job", "GET /api/v1/jobs/7", {}, 404, "no job 7"],
  ["deleting an unknown document", "DELETE /api/v1/documents/9", {}, 404, "no document 9"],
  ["tags of an unknown document", "POST /api/v1/documents/9/tags", { body: {} }, 404, "no document 9"],
  ["updating an unknown note", "PATCH /api/v1/notes/9", { body: { text: "x" } }, 404, "no document 9"],
  ["a limit of 0", "GET /api/v1/jobs?limit=0", {}, 400, "limit must be more than 0, got 0"],
  ["a limit that is not a number", "GET /api/v1/jobs?limit=ten", {}, 400, "limit must be a number"],
  ["a limit given twice", "GET /api/v1/jobs?limit=1&limit=2", {}, 400, "limit must be a number"],
  [
    "an unknown status",
    "GET /api/v1/jobs?status=lost",
    {},
    400,
    'status must be one of "queued", "processing", "done", "failed", "cancelled", got "lost"',
  ],
  ["a malformed cursor", "GET /api/v1/documents?cursor=!!", {}, 400, "cursor"],
  [
    "a malformed date",
    "GET /api/v1/documents?since=yesterday",
    {},
    400,
    "since must be a date such as 2026-03-31 or",
  ],
  ["a search without a query", "POST /api/v1/search", { body: {} }, 400, "query is required"],
  ["a blank query", "POST /api/v1/search", { body: { query: " " } }, 400, "query must not be empty"],
  [
    "a top over the maximum",
    "POST /api/v1/search",
    { body: { query: "x", top: 51 } },
    400,
    "top must be at most 50, got 51",
  ],
  [
    "tags that are not a list",
    "POST /api/v1/search",
    { body: { query: "x", tags: "a" } },
    400,
    'tags must be a list, got "a"',
  ],
  [
    "a tag with a line end",
    "POST /api/v1/search",
    { body: { query: "x", tags: ["a", "b\n"] } },
    400,
    "tags.1 must have no control",
  ],
  [
    "a body that is not an object",
    "POST /api/v1/search",
    { body: [] },
    400,
    "The body must be an object, got []",
  ],
  [
    "an empty prefix, which would remove every tag",
    "POST /api/v1/documents/1/tags",
    { body: { remove_prefix: "" } },
    400,
    "remove_prefix must have at least 1 character",
  ],
  ["a note without text", "PATCH /api/v1/notes/1", { body: { title: "x" } }, 400, "text is required"],
  ["broken JSON", "POST /api/v1/search", { body: bytes("{"), headers: JSON_TYPE }, 400, "valid JSON"],
  ["a missing body", "POST /api/v1/search", { headers: JSON_TYPE }, 400, "valid JSON"],
  [
    "JSON that is not UTF-8",
    "POST /api/v1/search",
    { body: Uint8Array.of(0x22, 0xff, 0x22), headers: JSON_TYPE },
    400,
    "UTF-8",
  ],
  [
    "JSON truncated inside a character",
    "POST /api/v1/search",
    { body: Uint8Array.of(0x22, 0xc3), headers: JSON_TYPE },
    400,
    "UTF-8",
  ],
  [
    "another media type",
    "POST /api/v1/search",
    { body: bytes("{}"), headers: { "content-type": "text/plain" } },
    415,
    "application/json, got text/plain",
  ],
  [
    "a compressed body",
    "POST /api/v1/search",
    { body: { query: "x" }, headers: { "content-encoding": "gzip" } },
    415,
    "identity",
  ],
  [
    "a JSON body over 8 MiB",
    "PATCH /api/v1/notes/1",
    { body: { text: "x".repeat(2 ** 23) } },
    413,
    "at most 8388608 bytes",
  ],
  [
    "a form that is JSON",
    "POST /api/v1/jobs",
    { body: { text: "x" } },
    415,
    "multipart/form-data, got application/json",
  ],
  [
    "a form without a boundary",
    "POST /api/v1/jobs",
    { body: bytes(""), headers: { "content-type": "multipart/form-data" } },
    400,
    "boundary",
  ],
  [
    "a truncated form",
    "POST /api/v1/jobs",
    multipart('--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello'),
    400,
    "truncated",
  ],
  [
    "a form with neither text nor file",
    "POST /api/v1/jobs",
    form({ title: "x" }),
    400,
    "exactly one of text (a note) and file",
  ],
  [
    "a form with both",
    "POST /api/v1/jobs",
    form({ file: new File(["x"], "x.csv"), text: "x" }),
    400,
    "exactly one of text",
  ],
  [
    "two files",
    "POST /api/v1/jobs",
    multipart('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na\r\n'.repeat(2) + "--x--"),
    400,
    "file must be given once",
  ],
  [
    "two titles",
    "POST /api/v1/jobs",
    form({ text: "x", title: ["a", "b"] }),
    400,
    "title must be given once",
  ],
  [
    "an unknown field",
    "POST /api/v1/jobs",
    form({ text: "x", tag: "a" }),
    400,
    'unknown field "tag": the fields are text, title',
  ],
  [
    "overwrite and add_only",
    "POST /api/v1/jobs",
    form({ text: "x", overwrite: "true", add_only: "true" }),
    400,
    "The form must not have both overwrite and add_only",
  ],
  [
    "an empty file",
    "POST /api/v1/jobs",
    form({ file: new File([], "x.txt") }),
    400,
    "file must not be empty",
  ],
  ["blank text", "POST /api/v1/jobs", form({ text: " \n" }), 400, "text must not be empty"],
  [
    "too long text",
    "POST /api/v1/jobs",
    form({ text: "x".repeat(1_000_001) }),
    400,
    "text must have at most 1000000 characters",
  ],
  [
    "text over the maximum size of the field",
    "POST /api/v1/jobs",
    form({ text: "x".repeat(4_000_001) }),
    413,
    "text must be at most 4000000 bytes",
  ],
  [
    "too long a title",
    "POST /api/v1/jobs",
    form({ text: "x", title: "t".repeat(501) }),
    400,
    "title must have at most 500 characters",
  ],
  [
    "a title over the maximum size of the field",
    "POST /api/v1/jobs",
    form({ text: "x", title: "t".repeat(20_000) }),
    413,
    "title must be at most 16384",
  ],
  [
    "65 tags",
    "POST /api/v1/jobs",
    form({ text: "x", tags: Array.from({ length: 65 }, (_, i) => `t${i}`) }),
    400,
    "tags must have at most 64 items",
  ],
  [
    "a file over the limit",
    "POST /api/v1/jobs",
    form({ file: new File(["x".repeat(1001)], "x.txt") }),
    413,
    "file must be at most 1000 bytes",
  ],
  [
    "a field that is not UTF-8",
    "POST /api/v1/jobs",
    {
      body: Uint8Array.from(
        '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\r\n--x--',
        (c) => c.charCodeAt(0),
      ),
      headers: { "content-type": "multipart/form-data; boundary=x" },
    },
    400,
    "text must be UTF-8",
  ],
];

const CODES: Record<number, string> = {
  400: "invalid",
  404: "not_found",
  405: "method_not_allowed",
  413: "too_large",
  415: "unsupported_media_type",
};

Deno.test("an error response has a status, a code and a message that says what to change", async (t) => {
  await using engine = await EmbeddedEngine.open({ maxFileBytes: 1000 });
  for (const [problem, request, send, status, message] of INVALID) {
    await t.step(problem, async () => {
      const [method = "", path = ""] = request.split(" ");
      const response = await engine.fetch(method, path, send);
      assertEquals(response.status, status, JSON.stringify(response.body));
      assertEquals(response.body.error.code, CODES[status]);
      assertStringIncludes(response.body.error.message, message);
      assertEquals(response.headers.get("cache-control"), "no-store");
    });
  }
  assertEquals(engine.spooled(), []);
  assertEquals((await engine.call("listJobs")).body.total, 0);
});

Deno.test("405 responses list the allowed methods", async () => {
  await using engine = await EmbeddedEngine.open();
  const allow = async (path: string) => (await engine.fetch("PUT", path)).headers.get("allow");
  assertEquals(await allow("/api/v1/documents/1"), "GET, HEAD, PATCH, DELETE");
  assertEquals(await allow("/api/v1/search"), "POST");
  assertEquals(await allow("/healthz"), "GET, HEAD");
});

Deno.test("an invalid request gets an error for each field in the message and the details", async () => {
  await using engine = await EmbeddedEngine.open();
  const { body } = await engine.call("search", { body: { query: 1, top: 0, fts_only: "no", since: 5 } });
  assertEquals(body.error.details.map((each: { field: string }) => each.field), [
    "query",
    "top",
    "fts_only",
    "since",
  ]);
  assertMatch(
    body.error.message,
    /^query must be a string, got 1; top must be at least 1, got 0; .*and 1 more/,
  );
});

Deno.test("updating a document that is not a note returns 409", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ file: new File(["text"], "a.txt") });
  const { status, body } = await engine.call("updateNote", { id: Number(document_id), body: { text: "x" } });
  assertEquals([status, body.error.code], [409, "not_a_note"]);
});

Deno.test("a full queue returns 503 with Retry-After and leaves no spooled file", async () => {
  await using engine = await EmbeddedEngine.open({ maxQueuedJobs: 1 });
  // All requests start before the first job can end.
  const responses = await Promise.all(
    Array.from(
      { length: 20 },
      (_, i) => engine.call("createJob", { body: formOf({ file: new File([`file ${i}`], "a.csv") }) }),
    ),
  );
  const full = responses.find((response) => response.status !== 202);
  assertEquals([full?.status, full?.body.error.code, full?.headers.get("retry-after")], [
    503,
    "queue_full",
    "1",
  ]);
  for (const { status, body } of responses) if (status === 202) await engine.jobEnd(body.job_id);
  await engine.close();
  assertEquals(engine.spooled(), []);
});

Deno.test("a body that does not arrive returns 408, and a closing engine does not wait for it", async () => {
  const never = () => new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(bytes("{")) });
  await using engine = await EmbeddedEngine.open({ bodyTimeoutMs: 20 });
  const slow = await engine.fetch("POST", "/api/v1/search", { body: never(), headers: JSON_TYPE });
  assertEquals([slow.status, slow.body.error.code], [408, "timeout"]);
  await engine.reopen({ bodyTimeoutMs: 60_000 });
  const pending = engine.fetch("POST", "/api/v1/search", { body: never(), headers: JSON_TYPE });
  await engine.close();
  const { status, body } = await pending;
  assertEquals([status, body.error.code], [503, "shutting_down"]);
});

Deno.test("an upload that breaks off leaves no spooled file", async () => {
  await using engine = await EmbeddedEngine.open();
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of it';
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(bytes(start)),
    pull: (stream) => stream.error(new Error("connection reset")),
  });
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const response = await engine.fetch("POST", "/api/v1/jobs", { body, headers });
  assertEquals([response.status, response.body.error.code], [400, "invalid"]);
  assertEquals(engine.spooled(), []);
});

Deno.test("an oversized file is rejected while it arrives", async () => {
  await using engine = await EmbeddedEngine.open({ maxFileBytes: 2 ** 20 });
  let sent = 0;
  const chunk = new Uint8Array(2 ** 16);
  const body = new ReadableStream<Uint8Array>({
    start: (stream) =>
      stream.enqueue(bytes('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n')),
    pull: (stream) => {
      stream.enqueue(chunk);
      sent += chunk.length;
    },
  });
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const response = await engine.fetch("POST", "/api/v1/jobs", { body, headers });
  assertEquals([response.status, response.body.error.code], [413, "too_large"]);
  assertEquals(sent < 2 ** 21, true, `${sent} bytes were read`);
  assertEquals(engine.spooled(), []);
});

Deno.test("a Content-Length over the limit is rejected before the body is read", async () => {
  await using engine = await EmbeddedEngine.open();
  const body = new ReadableStream<Uint8Array>();
  const headers = { ...JSON_TYPE, "content-length": String(2 ** 40) };
  const response = await engine.fetch("POST", "/api/v1/search", { body, headers });
  assertEquals([response.status, response.body.error.code], [413, "too_large"]);
});

Deno.test("an internal error is logged with its cause, and the response has no detail", async () => {
  const lines: string[] = [];
  await using engine = await EmbeddedEngine.open({
    log: createLogger("error", { write: (line) => lines.push(line) }),
  });
  // Writing to the spool fails without its directory.
  await Deno.remove(`${engine.dataDir}/spool`, { recursive: true });
  const { status, body } = await engine.call("createJob", {
    body: formOf({ file: new File(["x"], "x.csv") }),
  });
  assertEquals([status, body.error.code, body.error.details], [500, "internal", undefined]);
  assertEquals(body.error.message.includes(engine.dataDir), false);
  assertMatch(lines.join("\n"), /request failed error=.*NotFound/);
});

Deno.test("a search whose client disconnects is not logged as an error", async () => {
  const disconnect = new AbortController();
  const released = Promise.withResolvers<void>();
  await using model = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
    disconnect.abort();
    await released.promise;
    return new Response(null, { status: 503 });
  });
  const lines: string[] = [];
  await using engine = await EmbeddedEngine.open({
    log: createLogger("error", { write: (line) => lines.push(line) }),
    embeddings: {
      type: "api",
      url: `http://127.0.0.1:${model.addr.port}/v1`,
      model: "test",
      queryPrefix: "",
      documentPrefix: "",
      batchSize: 1,
      concurrency: 1,
      timeoutMs: 5000,
    },
  });
  const { status } = await engine.fetch("POST", "/api/v1/search", {
    body: { query: "heron" },
    signal: disconnect.signal,
  });
  released.resolve();
  assertEquals([status, lines], [499, []]);
});

Deno.test("a large body extends the body timeout", async () => {
  await using engine = await EmbeddedEngine.open({ bodyTimeoutMs: 30 });
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const rest = [bytes(start + "x".repeat(2 ** 18)), bytes("\r\n--x--\r\n")];
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      // 256 KiB extend the timeout by 4 s.
      if (rest.length === 1) await new Promise((resolve) => setTimeout(resolve, 60));
      const chunk = rest.shift();
      if (chunk) stream.enqueue(chunk);
      else stream.close();
    },
  });
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  assertEquals((await engine.fetch("POST", "/api/v1/jobs", { body, headers })).status, 202);
});
