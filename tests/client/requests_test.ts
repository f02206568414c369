import { assertEquals } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";

/** Makes a call and returns the request that was sent. */
async function sent(call: (client: EngineClient) => Promise<unknown>, baseUrl = "http://engine.test:8000") {
  let request: Request | undefined;
  const client = new EngineClient({
    baseUrl,
    apiKey: "k",
    fetch: (given) => {
      request = given;
      return Promise.resolve(Response.json({}, { status: 500 }));
    },
  });
  await call(client).catch(() => {});
  const type = request!.headers.get("content-type");
  const body = type === null
    ? undefined
    : type.startsWith("multipart/")
    ? [...(await request!.formData())]
    : await request!.json();
  return [`${request!.method} ${request!.url.slice("http://engine.test:8000".length)}`, body];
}

type Row = [string, (client: EngineClient) => Promise<unknown>, string, unknown];

const ROWS: Row[] = [
  ["status", (c) => c.status(), "GET /api/v1/status", undefined],
  ["search", (c) => c.search({ query: "a&b", top: 5, tags: ["t"], fts_only: true }), "POST /api/v1/search", {
    query: "a&b",
    top: 5,
    tags: ["t"],
    fts_only: true,
  }],
  [
    "addNote",
    (c) => c.addNote({ text: "line\nline", title: "T", source_path: "a b", tags: ["x", "y"] }),
    "POST /api/v1/jobs",
    [
      ["title", "T"],
      ["source_path", "a b"],
      ["tags", "x"],
      ["tags", "y"],
      ["text", "line\nline"],
    ],
  ],
  [
    "jobs",
    (c) => c.jobs({ status: "failed", limit: 5, cursor: "a+/=" }),
    "GET /api/v1/jobs?status=failed&limit=5&cursor=a%2B%2F%3D",
    undefined,
  ],
  ["jobs without a query", (c) => c.jobs(), "GET /api/v1/jobs", undefined],
  ["job", (c) => c.job("a/../b?c#d"), "GET /api/v1/jobs/a%2F..%2Fb%3Fc%23d", undefined],
  [
    "documents",
    (c) => c.documents({ source_path: "ä&b", tag: "collection:memory" }),
    "GET /api/v1/documents?source_path=%C3%A4%26b&tag=collection%3Amemory",
    undefined,
  ],
  ["document", (c) => c.document(4), "GET /api/v1/documents/4", undefined],
  [
    "document with a query",
    (c) => c.document(4, { chunks: false, offset: 0, limit: 2 }),
    "GET /api/v1/documents/4?chunks=false&offset=0&limit=2",
    undefined,
  ],
  ["deleteDocument", (c) => c.deleteDocument(4), "DELETE /api/v1/documents/4", undefined],
  ["changeTags", (c) => c.changeTags(4, { remove: ["a"], add: ["b"] }), "POST /api/v1/documents/4/tags", {
    remove: ["a"],
    add: ["b"],
  }],
  ["updateNote", (c) => c.updateNote(4, { text: "a\nb", title: "t" }), "PATCH /api/v1/notes/4", {
    text: "a\nb",
    title: "t",
  }],
];

for (const [name, call, line, body] of ROWS) {
  Deno.test(`${name} sends ${line}`, async () => {
    assertEquals(await sent(call), [line, body]);
  });
}

Deno.test("the base URL may have a path", async () => {
  assertEquals((await sent((c) => c.status(), "http://engine.test:8000/kb/"))[0], "GET /kb/api/v1/status");
  assertEquals(new EngineClient({ baseUrl: "http://e/kb/" }).baseUrl, "http://e/kb");
});

Deno.test("the API key is sent as a bearer token", async () => {
  const seen: (string | null)[] = [];
  for (const apiKey of ["k", undefined]) {
    const client = new EngineClient({
      baseUrl: "http://e",
      apiKey,
      fetch: (request) => {
        seen.push(request.headers.get("authorization"));
        return Promise.resolve(Response.json({ version: "3.0.0" }));
      },
    });
    await client.status();
  }
  assertEquals(seen, ["Bearer k", null]);
});
