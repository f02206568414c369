import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient, EngineError, type EngineErrorCode } from "../../src/client/mod.ts";

const KEY = "s3cret-key";

type CallName = "status" | "search" | "addNote" | "job" | "document" | "deleteDocument" | "updateNote";

/** Calls an engine that always sends the same response. */
async function errorOf(name: CallName, respond: () => Response, apiKey: string | undefined = KEY) {
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => Promise.resolve(respond()),
    delay: () => Promise.resolve(),
    apiKey,
  });
  const calls: Record<CallName, () => Promise<unknown>> = {
    status: () => client.status(),
    search: () => client.search({ query: "x" }),
    addNote: () => client.addNote({ text: "x", tags: [] }),
    job: () => client.job(7),
    document: () => client.document(42),
    deleteDocument: () => client.deleteDocument(42),
    updateNote: () => client.updateNote(42, { text: "x" }),
  };
  return await assertRejects(calls[name], EngineError);
}

const contractError = (code: string, message: string) => ({ error: { code, message } });
const fastApi = [{ loc: ["body", "top"], msg: "must be at most 50", type: "less_than_equal" }];

/** The engine's text is only in the log. */
const LOGGED = /\(\d+\); the log of kb-mcp has its message \(reference [0-9a-f]{8}\)\.$/;

const CASES: [CallName, number, unknown, EngineErrorCode, RegExp][] = [
  [
    "status",
    401,
    contractError("unauthorized", "x"),
    "unauthorized",
    /rejected the API key \(401\)\. Check that KB_API_KEY/,
  ],
  ["addNote", 403, { detail: "Forbidden" }, "unauthorized", /KB_API_KEY/],
  [
    "status",
    403,
    contractError("host_not_allowed", "x"),
    "host_not_allowed",
    /does not serve the host name "engine\.test" \(403\)\. Add it to KB_ENGINE_ALLOWED_HOSTS on the engine/,
  ],
  ["search", 403, { detail: "Host header not allowed" }, "host_not_allowed", /KB_ENGINE_ALLOWED_HOSTS/],
  [
    "search",
    403,
    contractError("unauthorized", "Forbidden: an engine on a loopback address answers loopback names only"),
    "host_not_allowed",
    /KB_ENGINE_ALLOWED_HOSTS/,
  ],
  [
    "addNote",
    403,
    contractError("forbidden", "The source a is not writable"),
    "forbidden",
    /^The source a is not writable\.$/,
  ],
  ["job", 404, contractError("not_found", "x"), "not_found", /^The engine has no job 7\. Call kb_jobs/],
  ["document", 404, { detail: "Not Found" }, "not_found", /^The engine has no document 42: .*kb_search/],
  ["updateNote", 404, { detail: "Not Found" }, "not_found", /no document 42/],
  [
    "document",
    404,
    "<html>",
    "invalid_response",
    /responded with 404 and no engine error\. Check that KB_ENGINE_URL/,
  ],
  [
    "deleteDocument",
    404,
    {},
    "invalid_response",
    /no engine error\. Check that KB_ENGINE_URL is the address of a knowledge base engine/,
  ],
  [
    "job",
    404,
    { error: "Not Found" },
    "invalid_response",
    /no engine error\. Check that KB_ENGINE_URL is the address of a knowledge base engine/,
  ],
  [
    "deleteDocument",
    507,
    contractError("storage_full", "The disk is full. Nothing was changed: make room"),
    "storage_full",
    /^The disk of the engine at \S+ is full or failing\. Nothing was changed: [^.]+\.$/,
  ],
  [
    "status",
    404,
    "<html>",
    "invalid_response",
    /does not know GET \/api\/v1\/status \(404\)\. Check that KB_ENGINE_URL/,
  ],
  ["addNote", 404, {}, "invalid_response", /does not know POST/],
  ["updateNote", 405, { detail: "Method Not Allowed" }, "invalid_response", /version 3\.0\.0 or later/],
  [
    "updateNote",
    409,
    contractError("not_a_note", "x"),
    "not_a_note",
    /^Document 42 is not a note: only notes can be upd/,
  ],
  ["updateNote", 409, { detail: "?" }, "not_a_note", /only notes can be updated/],
  ["updateNote", 422, { detail: "Only notes can be updated" }, "not_a_note", /is not a note/],
  ["updateNote", 400, { detail: "Document is not a note" }, "not_a_note", /with a source .* its file only/],
  [
    "updateNote",
    400,
    contractError("invalid", "text must not be empty"),
    "invalid",
    /\(400\): text must not be empty\.$/,
  ],
  ["updateNote", 422, { detail: fastApi }, "invalid", LOGGED],
  ["deleteDocument", 409, { detail: "locked" }, "invalid", LOGGED],
  ["search", 422, { detail: [...fastApi, { msg: "no" }] }, "invalid", LOGGED],
  ["search", 422, { detail: [{ loc: [{ toString: 1 }, "top"], msg: { toString: 1 } }] }, "invalid", LOGGED],
  ["search", 422, { detail: [{ msg: { toString: 1 } }] }, "invalid", /does not accept this \(422\)\.$/],
  ["search", 400, { error: "just words" }, "invalid", LOGGED],
  ["search", 418, null, "invalid", /does not accept this \(418\)\.$/],
  [
    "addNote",
    408,
    contractError("timeout", "too slow"),
    "timeout",
    /timed out waiting for the request\. Try again\./,
  ],
  [
    "search",
    408,
    contractError("timeout", "The search took longer than 10 s and was ended: use fewer or rarer words"),
    "timeout",
    /^The search took longer than 10 s and was ended: use fewer or rarer words\.$/,
  ],
  ["search", 408, "<html>", "timeout", /timed out waiting for the request\. Try again\./],
  [
    "addNote",
    413,
    contractError("too_large", "at most 5 bytes"),
    "too_large",
    /too large: at most 5 bytes\.$/,
  ],
  [
    "addNote",
    507,
    contractError("storage_full", "x"),
    "storage_full",
    /disk of the engine at \S+ is full or failing\. Nothing was changed: free disk space there, then try again\.$/,
  ],
  [
    "deleteDocument",
    500,
    contractError("storage_damaged", "malformed page 7 of /data/kb.db"),
    "storage_damaged",
    /^The stored data of the engine at \S+ is damaged, so this failed and nothing was changed\. [^/]+$/,
  ],
  [
    "addNote",
    503,
    contractError("read_only", "EROFS: /data"),
    "read_only",
    /^The engine at \S+ accepts no changes at present, [^/]+$/,
  ],
  [
    "addNote",
    503,
    contractError("queue_full", "10000 jobs wait"),
    "busy",
    / is busy \(503\)\. Try again in a few seconds\.$/,
  ],
  ["search", 429, {}, "busy", /\(429\)\. Try again in a few seconds/],
  ["search", 503, "<html>", "busy", /is busy/],
  ["search", 502, "<html>", "invalid_response", /gateway that cannot reach it \(502\)/],
  ["deleteDocument", 502, "<html>", "outcome_unknown", /Check with kb_get/],
  ["addNote", 504, "", "outcome_unknown", /Check kb_jobs/],
  [
    "status",
    500,
    contractError("internal", "its log says why"),
    "invalid_response",
    LOGGED,
  ],
  [
    "addNote",
    500,
    {},
    "invalid_response",
    /failed \(500\)\. The change may have been made\. Check kb_jobs/,
  ],
];

for (const [name, status, body, code, message] of CASES) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  Deno.test(`${name}: ${status} ${text} is ${code}`, async () => {
    const error = await errorOf(name, () => new Response(text, { status }));
    assertEquals([error.code, error.status], [code, status]);
    assertMatch(error.message, message);
  });
}

Deno.test("an error has the id of its document", async () => {
  assertEquals((await errorOf("document", () => new Response("", { status: 404 }))).id, 42);
  assertEquals((await errorOf("status", () => new Response("", { status: 404 }))).id, undefined);
});

Deno.test("without a key, a 401 says to set one", async () => {
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => Promise.resolve(new Response("", { status: 401 })),
  });
  await assertRejects(() => client.status(), EngineError, "It requires a key: set KB_API_KEY");
});

Deno.test("the engine's message is quoted shortened, on one line, and without the key", async () => {
  const words = `${KEY}\n\u001b[31mred\u202e ${"é".repeat(600)}`;
  const error = await errorOf(
    "search",
    () => Response.json(contractError("invalid", words), { status: 400 }),
  );
  assertMatch(error.message, /: \[key\] \[31mred +é+…\.$/u);
  assert(error.message.length < 560, `${error.message.length}`);
  assertEquals(JSON.stringify([error.message, String(error.cause)]).includes(KEY), false);
});

Deno.test("the engine's message is quoted without invisible characters, which could also divide the key", async () => {
  const hidden = "\u200b\u{e0049}\u2060";
  const detail = `re${hidden}ad ${KEY.slice(0, 2)}${hidden}${KEY.slice(2)}`;
  const error = await errorOf(
    "search",
    () => Response.json(contractError("invalid", detail), { status: 400 }),
  );
  assertMatch(error.message, /: read \[key\]\.$/);
});

Deno.test("the engine's message is cut between characters", async () => {
  const error = await errorOf(
    "search",
    () => Response.json(contractError("invalid", "😀".repeat(400)), { status: 400 }),
  );
  assert(error.message.isWellFormed());
});

Deno.test("an error response that breaks off is classified by its status", async () => {
  const body = new ReadableStream({ pull: () => Promise.reject(new Error("connection closed")) });
  assertEquals((await errorOf("addNote", () => new Response(body, { status: 413 }))).code, "too_large");
});

Deno.test("the error of an invalid key or URL does not repeat it", () => {
  for (
    const options of [
      { baseUrl: "http://e", apiKey: `${KEY}\nx` },
      { baseUrl: `http://user:${KEY}@e` },
      { baseUrl: `http://e?${KEY}` },
      { baseUrl: `ftp://${KEY}` },
      { baseUrl: KEY },
    ]
  ) {
    try {
      new EngineClient(options);
    } catch (error) {
      assert(error instanceof TypeError && !error.message.includes(KEY));
      continue;
    }
    throw new Error(`accepted ${JSON.stringify(options)}`);
  }
});

Deno.test("messages call the engine by its name when it has one", async () => {
  const client = new EngineClient({
    baseUrl: "http://embedded",
    name: "embedded engine",
    fetch: () => Promise.resolve(Response.json({ error: { code: "storage_full" } }, { status: 507 })),
  });
  const error = await assertRejects(() => client.deleteDocument(1), EngineError);
  assertEquals(
    error.message,
    "The disk of the embedded engine is full or failing. Nothing was changed: free disk space there, then try again.",
  );
});
