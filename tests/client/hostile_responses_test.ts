import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { LargeResponses } from "../../src/client/large_responses.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { head, httpServer, rawServer } from "./servers.ts";

type Send = (client: EngineClient) => Promise<unknown>;

const CALLS: Readonly<Record<string, Send>> = {
  status: (c) => c.status(),
  search: (c) => c.search({ query: "x" }),
  createJob: (c) => c.addNote({ text: "x", tags: [] }),
  getJob: (c) => c.job(1),
  listJobs: (c) => c.jobs(),
  getDocument: (c) => c.document(1),
  listDocuments: (c) => c.documents(),
  queryDocuments: (c) => c.queryDocuments({}),
  changeTags: (c) => c.changeTags(1, { add: ["a"] }),
  updateNote: (c) => c.updateNote(1, { text: "x" }),
  deleteDocument: (c) => c.deleteDocument(1),
};
const WRITES = ["createJob", "changeTags", "updateNote", "deleteDocument"];
const MAY_HAVE_CHANGED = / The change may have been made\. Check/;

/** A client of an engine that sends the same response to every call. */
function clientOf(respond: () => Response): EngineClient {
  return new EngineClient({ baseUrl: "http://engine.test", fetch: () => Promise.resolve(respond()) });
}

/** Fails unless the call fails as an invalid response, which says so if a write may have happened. */
async function assertInvalid(name: string, respond: () => Response, reason: RegExp): Promise<void> {
  const error = await assertRejects(() => CALLS[name]!(clientOf(respond)), EngineError);
  assertEquals([name, error.code], [name, "invalid_response"]);
  assertMatch(error.message, reason);
  assertEquals([name, MAY_HAVE_CHANGED.test(error.message)], [name, WRITES.includes(name)]);
}

for (const name of Object.keys(CALLS)) {
  const isContent = name === "getDocument" || name === "updateNote";
  const isListing = ["search", "listJobs", "listDocuments", "queryDocuments"].includes(name);

  Deno.test(`${name}: too many or too deeply nested values are rejected before parsing`, async () => {
    const values = `[${"0,".repeat(isContent ? 200_000 : isListing ? 100_000 : 20_000)}0]`;
    await assertInvalid(name, () => new Response(values), /with JSON of more than \d+ values or 64 levels/);
    await assertInvalid(name, () => new Response("[".repeat(65)), /with JSON of more than \d+ values/);
    await assertInvalid(
      name,
      () => new Response(`${"[".repeat(64)}${"]".repeat(64)}`),
      /outside the contract/,
    );
  });

  if (isContent) continue;
  Deno.test(`${name}: a response has a size limit of its own`, async () => {
    const maxBytes = isListing ? 16 * 2 ** 20 : 2 ** 20;
    const reason = new RegExp(`with more than ${maxBytes} bytes`);
    await assertInvalid(name, () => new Response(`"${"x".repeat(maxBytes - 1)}"`), reason);
    const declared = { "content-length": String(maxBytes + 1) };
    await assertInvalid(name, () => new Response("{}", { headers: declared }), reason);
  });
}

Deno.test("a compressed response is refused unread, and none is requested", async () => {
  const requested: (string | null)[] = [];
  let cancelled = 0;
  await using server = httpServer(({ headers }) => {
    requested.push(headers.get("accept-encoding"));
    const body = new ReadableStream({ cancel: () => void cancelled++ });
    return new Response(body, { headers: { "content-encoding": "gzip" } });
  });
  const client = new EngineClient({ baseUrl: server.url });
  for (const name of ["getDocument", "deleteDocument"]) {
    const error = await assertRejects(() => CALLS[name]!(client), EngineError, "with a compressed body");
    assertEquals(error.code, "invalid_response");
  }
  assertEquals(requested, ["identity", "identity"]);
});

Deno.test("the connection of a response over its limit is closed", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = rawServer(async ({ write }) => {
    try {
      await write(head(200, { "transfer-encoding": "chunked" }));
      while (true) await write(`10000\r\n${" ".repeat(0x10000)}\r\n`);
    } catch {
      closed.resolve();
    }
  });
  const client = new EngineClient({ baseUrl: server.url });
  await assertRejects(() => client.status(), EngineError, "more than 1048576 bytes");
  await closed.promise;
});

Deno.test("a body over its limit is cancelled", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(2 ** 16).fill(32)),
    cancel: () => void (isCancelled = true),
  });
  await assertRejects(() => clientOf(() => new Response(endless)).status(), EngineError, "more than 1048576");
  assert(isCancelled);
});

Deno.test("a body in chunks of one byte is read completely", async () => {
  const text = JSON.stringify({ job_id: 1, status: "done", title: "é漢👩".repeat(20) });
  const bytes = new TextEncoder().encode(text);
  const body = () =>
    new ReadableStream({
      type: "bytes",
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
  assertEquals((await clientOf(() => new Response(body())).job(1)).title, "é漢👩".repeat(20));
});

Deno.test("at most two large responses are read at a time, and the next one inherits a place", async () => {
  const large = new LargeResponses();
  const { signal } = new AbortController();
  const first = await large.enter(signal);
  const second = await large.enter(signal);
  assert(first && second);
  const stop = new AbortController();
  const cancelled = large.enter(stop.signal);
  const third = large.enter(signal);
  stop.abort();
  assertEquals(await cancelled, undefined);
  assertEquals(await large.enter(stop.signal), undefined);
  first[Symbol.dispose]();
  (await third)?.[Symbol.dispose]();
  assert(await large.enter(signal));
  second[Symbol.dispose]();
  assert(await large.enter(signal));
});

Deno.test("a large response waits for others only until its deadline", async () => {
  let open = 0;
  const endless = () => {
    open++;
    let sent = false;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (sent) return new Promise(() => {});
          sent = true;
          controller.enqueue(new Uint8Array(300_000).fill(32));
        },
        cancel: () => void open--,
      }),
    );
  };
  const client = clientOf(endless);
  const calls = [1, 2, 3].map(() =>
    assertRejects(() => client.document(1, {}, { timeoutMs: 50 }), EngineError)
  );
  for (const error of await Promise.all(calls)) assertEquals(error.code, "timeout");
  assertEquals(open, 0);
  const good = { document_id: 1, title: null, doc_type: "note", x: "y".repeat(300_000) };
  const later = new EngineClient({ baseUrl: "http://e", fetch: () => Promise.resolve(Response.json(good)) });
  assertEquals((await later.document(1)).document_id, 1);
});

const UNCONFIRMED: [name: string, status: number, body: unknown][] = [
  ["deleteDocument", 200, { foo: 1 }],
  ["deleteDocument", 200, {}],
  ["deleteDocument", 200, null],
  ["deleteDocument", 200, { document_id: 1 }],
  ["deleteDocument", 200, { status: "queued" }],
  ["deleteDocument", 200, { status: { toString: 1 } }],
  ["deleteDocument", 200, { deleted: false }],
  ["deleteDocument", 200, { status: "ok", deleted: false }],
  ["deleteDocument", 200, { status: "deleted", document_id: 2 }],
  ["deleteDocument", 200, { error: "no" }],
  ["createJob", 202, { status: "queued" }],
  ["createJob", 202, { job_id: null }],
  ["createJob", 204, undefined],
  ["changeTags", 200, { document_id: 2, tags: ["a"] }],
  ["changeTags", 200, { tags: "a" }],
  ["changeTags", 204, undefined],
  ["updateNote", 200, {}],
  ["updateNote", 200, { document_id: 2, title: null, doc_type: "note", tags: [] }],
  ["updateNote", 204, undefined],
];
for (const [name, status, body] of UNCONFIRMED) {
  Deno.test(`${name} is not confirmed by ${status} ${JSON.stringify(body)}`, async () => {
    const text = body === undefined ? null : JSON.stringify(body);
    await assertInvalid(name, () => new Response(text, { status }), /outside the contract|not JSON/);
  });
}

for (
  const body of [{ status: "deleted" }, { status: "OK" }, { success: true }, { status: "deleted", id: "001" }]
) {
  Deno.test(`a deletion is confirmed by ${JSON.stringify(body)}`, async () => {
    const { status, document_id } = await clientOf(() => Response.json(body)).deleteDocument(1);
    assertEquals([status, String(Number(document_id))], ["deleted", "1"]);
  });
}

Deno.test("a tag change without tags in its response is read back", async () => {
  const document = { document_id: 1, title: null, doc_type: "note", tags: ["b"] };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: ({ method }) => Promise.resolve(Response.json(method === "POST" ? {} : document)),
  });
  assertEquals((await client.changeTags(1, { add: ["a"] })).tags, ["b"]);
});

Deno.test("a wrong row of thousands is reported by its own path, without describing the others", async () => {
  const rows = Array.from({ length: 9_000 }, (_, i) => i === 0 ? { job_id: 1, status: "done" } : {});
  const error = await assertRejects(() => clientOf(() => Response.json({ jobs: rows })).jobs(), EngineError);
  assertMatch(error.message, /outside the contract, at jobs\.1\.job_id\./);
  assertEquals((error.cause as { issues: unknown[] }).issues.length, 2);
});

const EXCESS: [body: unknown, path: string][] = [
  [{ document_id: 1, doc_type: "note", tags: ["a", ...Array(100_000).fill(0)] }, "tags.1"],
  [
    { document_id: 1, doc_type: "note", metadata: Object.fromEntries(Array(10_001).fill(0).entries()) },
    "metadata",
  ],
  [
    {
      document_id: 1,
      doc_type: "note",
      chunks: [{ chunk_id: 1, text: "", heading_path: Array(100_000).fill(0) }],
    },
    "chunks.0.heading_path.0",
  ],
];
for (const [body, path] of EXCESS) {
  Deno.test(`a document with too many wrong values is rejected at ${path} before zod describes them`, async () => {
    const error = await assertRejects(() => clientOf(() => Response.json(body)).document(1), EngineError);
    assertMatch(error.message, new RegExp(`outside the contract, at ${RegExp.escape(path)}\\.`));
    assertEquals(error.cause, undefined);
  });
}

const SECRETS =
  'SQLITE_ERROR: near "\u202eDROP": syntax error in /data/kb.db\n    at open (file:///srv/store.ts:7:1)';
const ERRORS: [status: number, body: unknown][] = [
  [500, { error: { code: "internal", message: SECRETS } }],
  [500, { detail: SECRETS }],
  [500, { error: { code: "invalid", message: SECRETS } }],
  [503, { error: { code: "queue_full", message: SECRETS } }],
  [507, { error: { code: "storage_full", message: SECRETS } }],
  [500, { error: { code: "storage_damaged", message: SECRETS } }],
  [400, { error: { code: "internal", message: SECRETS } }],
  [400, { error: { code: "custom", message: SECRETS } }],
  [400, { error: { code: "toString", message: SECRETS } }],
  [400, { detail: SECRETS }],
  [422, { detail: [{ loc: ["body", SECRETS], msg: SECRETS }] }],
  [413, { message: SECRETS }],
];
for (const [status, body] of ERRORS) {
  Deno.test(`the text of ${status} ${JSON.stringify(body).slice(0, 40)} stays in the log`, async () => {
    const lines: string[] = [];
    const client = new EngineClient({
      baseUrl: "http://engine.test",
      fetch: () => Promise.resolve(Response.json(body, { status })),
      log: createLogger("warn", { write: (line) => lines.push(line) }),
    });
    const { message } = await assertRejects(() => client.addNote({ text: "x", tags: [] }), EngineError);
    assert(!/SQL|DROP|kb\.db|store\.ts/.test(message), message);
    const [, reference] = /\(reference ([0-9a-f]{8})\)/.exec(message) ?? [];
    if (reference === undefined) return;
    assertEquals(lines.length, 1);
    assertMatch(
      lines[0]!,
      new RegExp(`engine sent an error reference=${reference} call=createJob status=${status}`),
    );
    assert(lines[0]!.includes("/data/kb.db") && !/[\n\u202e]/.test(lines[0]!), lines[0]);
  });
}

Deno.test("a message of the contract for callers is quoted", async () => {
  const body = { error: { code: "invalid", message: "top must be at most 50." } };
  const client = clientOf(() => Response.json(body, { status: 400 }));
  const error = await assertRejects(() => client.search({ query: "x" }), EngineError);
  assertMatch(error.message, /\(400\): top must be at most 50\.$/);
});
