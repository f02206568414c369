import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { SearchRequest, SearchResult } from "../../src/contract/mod.ts";
import type { ApiModelOptions } from "../../src/embeddings/mod.ts";
import { DataDirError } from "../../src/engine/sqlite/store/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { EmbeddedEngine, type ParsedResponse } from "../support/embedded_engine.ts";
import { embed, type EmbeddingsRequest, errorResponse, TestEmbedder } from "../support/test_embedder.ts";
import { embeddingOptions, until } from "./sqlite/backfill/support.ts";

/** Distinguishes requests for queries from requests for documents. */
const PREFIXES = { queryPrefix: "query: ", documentPrefix: "passage: " };

/** Opens an engine with an embedding model. */
async function open(server: TestEmbedder, options: Partial<ApiModelOptions> = {}): Promise<EmbeddedEngine> {
  return await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url, { ...PREFIXES, ...options }) });
}

function isQuery({ input: [text = ""] }: EmbeddingsRequest): boolean {
  return text.startsWith(PREFIXES.queryPrefix);
}

/** Returns the number of requests of a kind that the model has received. */
function requests(server: TestEmbedder, kind: "query" | "passage"): number {
  return server.requests.filter((request) => isQuery(request) === (kind === "query")).length;
}

async function search(engine: EmbeddedEngine, request: SearchRequest) {
  const { status, body } = await engine.call("search", { body: request });
  assertEquals([status, body.error], [200, undefined]);
  return body;
}

function titles(results: readonly SearchResult[]): string[] {
  return results.map(({ title }) => String(title));
}

/** Adds notes, given as texts by title. */
async function addNotes(engine: EmbeddedEngine, notes: Record<string, string>, tags: readonly string[] = []) {
  for (const [title, text] of Object.entries(notes)) await engine.ingest({ title, text, tags });
}

async function vectors(engine: EmbeddedEngine) {
  return (await engine.call("status")).body.vectors;
}

/** Resolves when every chunk has a vector. */
async function allEmbedded(engine: EmbeddedEngine): Promise<void> {
  await until(async () => {
    const { embedded, total } = await vectors(engine);
    return embedded === total;
  }, "every chunk has a vector");
}

const NOTES = {
  "Garage": "Our automobile needs new tyres before the winter.",
  "Surgery": "The physician sees patients on Tuesday mornings.",
  "Kitchen": "Descale the teapot with vinegar once a month.",
  "Garden": "Ferns want shade and water.",
};

Deno.test("a vector search finds synonyms", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  assertEquals((await search(engine, { query: "vehicle", mode: "fts" })).results, []);
  for (
    const [query, title] of [["vehicle", "Garage"], ["doctor", "Surgery"], ["kettle", "Kitchen"]] as const
  ) {
    for (const mode of ["vector", "hybrid"] as const) {
      const response = await search(engine, { query, mode });
      assertEquals([response.mode, titles(response.results)[0]], [mode, title], `${query}, ${mode}`);
      assertEquals([response.total, response.warning], [4, undefined]);
      assertEquals(response.vectors, { embedded: 4, total: 4 });
    }
  }
});

Deno.test("a hybrid search ranks a match in both rankings above a match in one", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, {
    "Words": "Car car car: the sound of a crow in the field behind the barn where nobody goes, car, at dusk.",
    "Meaning": "A vehicle, an automobile.",
    "Both": "Vehicle: a car.",
    "Neither": "Ferns want shade.",
  });
  await allEmbedded(engine);
  const ranked = async (mode: "fts" | "vector" | "hybrid") =>
    titles((await search(engine, { query: "car", mode, include_weak: true })).results);
  assertEquals(await ranked("fts"), ["Words", "Both"]);
  assertEquals((await ranked("vector")).slice(0, 2), ["Both", "Meaning"]);
  assertEquals(await ranked("hybrid"), ["Both", "Words", "Meaning", "Neither"]);
  const { results, weak_omitted } = await search(engine, { query: "car" });
  assertEquals([titles(results), weak_omitted], [["Both", "Words", "Meaning"], 1]);
});

const MODES: [Partial<SearchRequest>, string][] = [
  [{}, "hybrid"],
  [{ mode: "hybrid" }, "hybrid"],
  [{ mode: "fts" }, "fts"],
  [{ mode: "vector" }, "vector"],
  [{ fts_only: true }, "fts"],
  [{ vec_only: true }, "vector"],
  [{ fts_only: true, mode: "fts" }, "fts"],
  [{ vec_only: true, mode: "vector", fts_only: false }, "vector"],
];

Deno.test("a search runs in the requested mode, and embeds the query only if it uses vectors", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  for (const [n, [request, mode]] of MODES.entries()) {
    const before = requests(server, "query");
    const response = await search(engine, { query: `ferns ${n}`, ...request });
    assertEquals([response.mode, response.warning], [mode, undefined], JSON.stringify(request));
    assertEquals(requests(server, "query") - before, mode === "fts" ? 0 : 1, JSON.stringify(request));
  }
  const conflicting: Partial<SearchRequest>[] = [
    { fts_only: true, vec_only: true },
    { fts_only: true, mode: "vector" },
    { vec_only: true, mode: "hybrid" },
  ];
  for (const request of conflicting) {
    const { status, body } = await engine.call("search", { body: { query: "ferns", ...request } });
    assertEquals([status, body.error.code], [400, "invalid"], JSON.stringify(request));
  }
});

Deno.test("without a model, hybrid is full text with a warning, and vector is rejected with a hint", async () => {
  await using engine = await EmbeddedEngine.open();
  await addNotes(engine, NOTES);
  const hybrid = await search(engine, { query: "ferns", mode: "hybrid" });
  assertEquals([hybrid.mode, titles(hybrid.results), hybrid.vectors], ["fts", ["Garden"], undefined]);
  assertStringIncludes(hybrid.warning, "KB_EMBEDDINGS_MODEL");
  assertEquals((await search(engine, { query: "ferns" })).warning, undefined);
  const { status, body } = await engine.call("search", { body: { query: "ferns", mode: "vector" } });
  assertEquals(status, 400);
  assertStringIncludes(body.error.message, "KB_EMBEDDINGS_MODEL");
  assertEquals(await vectors(engine), null);
});

Deno.test("filters apply before vectors are ranked, so that allowed chunks are found at any distance", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server, { batchSize: 64 });
  const similar = Array.from({ length: 260 }, (_, n) => `A car, an automobile, vehicle number ${n}.`);
  await Promise.all(similar.map((text) => engine.ingest({ text, tags: ["near"] })));
  await addNotes(engine, { "Far": "Ferns want shade.", "Further": "Water them on Monday." }, ["far"]);
  await allEmbedded(engine);
  for (const mode of ["vector", "hybrid"] as const) {
    const response = await search(engine, { query: "car", mode, tags: ["far"], top: 5 });
    assertEquals([response.mode, response.total], [mode, 2]);
    assertEquals(titles(response.results).toSorted(), ["Far", "Further"]);
    const none = await search(engine, { query: "car", mode, tags: ["unknown"] });
    assertEquals([none.mode, none.total, none.results], [mode, 0, []]);
    const others = await search(engine, { query: "car", mode, tags_none: ["near"], top: 5 });
    assertEquals(others.total, 2);
  }
  assertEquals((await search(engine, { query: "car", mode: "vector" })).total, 262);
});

Deno.test("quoted phrases and exclusions filter vector results, and the embedded text has no syntax", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, {
    "Blue": "The automobile stands behind the blue door.",
    "Red": "The automobile stands behind the red door, not the blue one.",
    "Door": "A blue door.",
  });
  await allEmbedded(engine);
  for (const mode of ["vector", "hybrid"] as const) {
    const quoted = await search(engine, { query: '"blue door" car', mode });
    assertEquals([quoted.mode, quoted.total], [mode, 2]);
    assertEquals(titles(quoted.results).toSorted(), ["Blue", "Door"]);
    const excluded = await search(engine, { query: "car -red", mode });
    assertEquals([titles(excluded.results).includes("Red"), excluded.total], [false, 2]);
  }
  const sent = server.inputs.filter((text) => text.startsWith("query: "));
  assertEquals(sent, ["query: blue door car", "query: car"]);
});

Deno.test("a document is found by terms at once, and by vector once it is embedded", async () => {
  await using server = TestEmbedder.start();
  const held = Promise.withResolvers<void>();
  server.options.respond = async (_, request) => {
    if (!isQuery(request)) await held.promise;
    return undefined;
  };
  await using engine = await open(server, { batchSize: 2, concurrency: 1 });
  await addNotes(engine, NOTES);

  const before = await search(engine, { query: "automobile" });
  assertEquals([titles(before.results), before.vectors], [["Garage"], { embedded: 0, total: 4 }]);
  const { model, vectors: counts } = (await engine.call("status")).body;
  assertEquals([model, counts.embedded, counts.total], ["test-model", 0, 4]);
  assertEquals(titles((await search(engine, { query: "vehicle" })).results), []);

  held.resolve();
  await allEmbedded(engine);
  const after = await search(engine, { query: "vehicle" });
  assertEquals([after.mode, titles(after.results)[0]], ["hybrid", "Garage"]);
  assertEquals(after.vectors, { embedded: 4, total: 4 });
  const { memory_bytes, ...all } = await vectors(engine);
  assertEquals(all, { dimensions: 64, embedded: 4, refused: 0, total: 4, error: null });
  assert(memory_bytes > 0);
});

/** Failures of a model to embed a query, with a part of the warning. */
const FAILURES: [
  failure: string,
  respond: (server: TestEmbedder) => Response | Promise<Response>,
  warning: string,
][] = [
  ["responds 500", () => errorResponse(500, "CUDA out of memory"), "500"],
  ["responds 503", () => errorResponse(503), "not available"],
  ["responds 429", () => errorResponse(429, "slow down", { "retry-after": "1" }), "429"],
  ["responds 401", () => errorResponse(401, "Incorrect API key provided: secret-key"), "401"],
  ["responds 404", () => errorResponse(404, "no such model"), "404"],
  ["hangs", (server) => server.hang(), "did not respond within"],
  ["responds with HTML", () => new Response("<html>Bad gateway</html>"), "check KB_EMBEDDINGS_URL"],
  ["responds without a vector", () => Response.json({ data: [] }), "got 0 vectors"],
  [
    "responds with vectors of other dimensions",
    (server) => server.embeddings(["x"], 32),
    "32 dimensions, but the stored ones have 64",
  ],
  [
    "responds with a vector that has no numbers",
    () => Response.json({ data: [{ index: 0, embedding: ["a"] }] }),
    "returned no vector",
  ],
];

for (const [failure, respond, warning] of FAILURES) {
  Deno.test(`if the model ${failure}, a search is full text with a warning`, async () => {
    await using server = TestEmbedder.start();
    await using engine = await open(server, { timeoutMs: 1000, apiKey: "secret-key" });
    await addNotes(engine, NOTES);
    await allEmbedded(engine);
    server.options.respond = () => respond(server);
    for (const mode of ["hybrid", "vector"] as const) {
      const found = await search(engine, { query: "ferns", mode });
      assertEquals([found.mode, titles(found.results)], ["fts", ["Garden"]]);
      assertStringIncludes(found.warning, "Searched full text only: ");
      assertStringIncludes(found.warning, warning);
      assert(found.warning.length < 400 && !found.warning.includes("secret-key"), found.warning);
      assertEquals(found.vectors, { embedded: 4, total: 4 });
    }
  });
}

Deno.test("after a timeout, searches do not wait for the model, and use it again once it responds", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server, { timeoutMs: 1000 });
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  server.options.respond = () => server.hang();
  await search(engine, { query: "vehicle 0" });
  const sent = requests(server, "query");
  for (let n = 1; n < 10; n++) {
    const { mode, warning } = await search(engine, { query: `vehicle ${n}` });
    assertEquals(mode, "fts");
    assertStringIncludes(warning, "did not respond within 1 s");
  }
  assertEquals(requests(server, "query"), sent);

  delete server.options.respond;
  await until(
    async () => (await search(engine, { query: "vehicle" })).mode === "hybrid",
    "the search is hybrid",
  );
  const { results, warning } = await search(engine, { query: "vehicle" });
  assertEquals([titles(results)[0], warning], ["Garage", undefined]);
});

Deno.test("an unreachable model is a warning in search responses and an error in the status", async () => {
  const stopped = TestEmbedder.start();
  await stopped[Symbol.asyncDispose]();
  await using engine = await open(stopped);
  await addNotes(engine, NOTES);
  const found = await search(engine, { query: "ferns" });
  assertEquals([found.mode, titles(found.results)], ["fts", ["Garden"]]);
  assertStringIncludes(found.warning, "cannot be reached");
  await until(async () => (await vectors(engine)).error !== null, "the status has the error");
  const { error, ...counts } = await vectors(engine);
  assertStringIncludes(error, "cannot be reached");
  assertEquals(counts, { dimensions: null, embedded: 0, refused: 0, total: 4, memory_bytes: 0 });
});

Deno.test("a chunk that the model rejects is found by terms, and counted", async () => {
  await using server = TestEmbedder.start({
    rejectStatus: (text) => text.includes("Ferns") ? 400 : undefined,
  });
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await until(async () => (await vectors(engine)).embedded === 3, "three chunks have vectors");
  await until(async () => (await vectors(engine)).refused === 1, "one is refused");
  const found = await search(engine, { query: "ferns" });
  assertEquals([found.mode, titles(found.results)[0], found.total], ["hybrid", "Garden", 4]);
  assertEquals((await search(engine, { query: "shade", mode: "vector" })).total, 3);
});

Deno.test("an updated note has the vector of its new text, and a deleted one has none", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  const { document_id: id } = await engine.ingest({ title: "Note", text: "An automobile." });
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  await search(engine, { query: "vehicle", mode: "vector" });

  assertEquals((await engine.call("updateNote", { id: id!, body: { text: "A physician." } })).status, 200);
  await allEmbedded(engine);
  const doctor = await search(engine, { query: "doctor", mode: "vector" });
  assertEquals([doctor.results[0].document_id, doctor.results[0].text], [id, "A physician."]);
  assertEquals(
    (await search(engine, { query: "vehicle", mode: "vector", top: 1 })).results[0].title,
    "Garage",
  );

  await engine.call("deleteDocument", { id: id! });
  const after = await search(engine, { query: "doctor", mode: "vector" });
  assertEquals([after.total, after.results[0].title, after.vectors], [4, "Surgery", {
    embedded: 4,
    total: 4,
  }]);
  assert(after.results.every((result: SearchResult) => result.document_id !== id));
});

Deno.test("a reopened engine has its vectors, and embeds no chunk twice", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const sent = requests(server, "passage");
  await engine.reopen({ embeddings: embeddingOptions(server.url, PREFIXES) });
  assertEquals(titles((await search(engine, { query: "vehicle", mode: "vector" })).results)[0], "Garage");
  // A new chunk is embedded after the stored ones.
  await addNotes(engine, { "New": "Acquire a lamp." });
  await allEmbedded(engine);
  assertEquals(titles((await search(engine, { query: "buy", mode: "vector" })).results)[0], "New");
  assertEquals(requests(server, "passage"), sent + 1);
});

Deno.test("opening with another model is rejected with the reindex command, and the old model still works", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const changes: Partial<ApiModelOptions>[] = [
    { model: "other" },
    { documentPrefix: "text: " },
    { dimensions: 32 },
  ];
  for (const change of changes) {
    const embeddings = embeddingOptions(server.url, { ...PREFIXES, apiKey: "secret-key", ...change });
    const { message } = await assertRejects(() => engine.reopen({ embeddings }), DataDirError);
    assertStringIncludes(message, `KB_DATA_DIR=${engine.dataDir} KB_EMBEDDINGS_URL=${server.url}`);
    assertStringIncludes(message, "kb-mcp reindex\n");
    assert(!message.includes("secret-key"));
  }
  await engine.reopen({ embeddings: embeddingOptions(server.url, { ...PREFIXES, queryPrefix: "other: " }) });
  assertEquals((await search(engine, { query: "automobile vehicle" })).results[0].title, "Garage");
  // Stored vectors are ignored without a model.
  await engine.reopen();
  assertEquals((await search(engine, { query: "automobile" })).mode, "fts");
});

Deno.test("the API key of the model is in no response, log or file", async () => {
  const key = "sk-test-5f3a9c";
  const lines: string[] = [];
  await using server = TestEmbedder.start({ apiKey: key });
  const embeddings = embeddingOptions(server.url, { ...PREFIXES, apiKey: key });
  await using engine = await EmbeddedEngine.open({
    embeddings,
    log: createLogger("debug", { write: (line) => lines.push(line) }),
  });
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const responses: ParsedResponse[] = [];
  const ask = async () => {
    responses.push(await engine.call("search", { body: { query: `ferns ${responses.length}` } }));
    responses.push(await engine.call("status"));
  };
  await ask();
  // The error message of the model repeats the key that it received.
  server.options.apiKey = "another";
  await ask();
  await addNotes(engine, { "More": "Another note." });
  await until(async () => (await vectors(engine)).error !== null, "the status has the error");
  await ask();
  assertEquals(responses.map(({ status }) => status), responses.map(() => 200));
  assert(responses.some(({ body }) => typeof body.warning === "string"));
  assert(lines.length > 0);
  assert(!JSON.stringify(responses.map(({ body }) => body)).includes(key));
  assert(!lines.join("\n").includes(key));
  await engine.close();
  for await (const { name, isFile } of Deno.readDir(engine.dataDir)) {
    const bytes = isFile ? await Deno.readFile(`${engine.dataDir}/${name}`) : new Uint8Array();
    assert(!new TextDecoder("latin1").decode(bytes).includes(key), name);
  }
});

Deno.test("pages of any size give the same list, in every mode", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server, { batchSize: 64 });
  const words = ["car", "automobile", "vehicle", "kettle", "teapot", "ferns"];
  await Promise.all(
    Array.from(
      { length: 120 },
      (_, n) => engine.ingest({ text: `${words[n % 6]} ${words[n % 5]} number ${n}`, title: `t${n}` }),
    ),
  );
  await allEmbedded(engine);
  for (const mode of ["fts", "vector", "hybrid"] as const) {
    const lists: string[][] = [];
    for (const top of [3, 50]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await search(engine, { query: "car teapot", mode, top, ...(cursor ? { cursor } : {}) });
        found.push(...titles(page.results));
        cursor = page.next_cursor ?? undefined;
        if (!cursor) assertEquals(page.total, found.length);
      } while (cursor);
      assertEquals(new Set(found).size, found.length);
      lists.push(found);
    }
    assertEquals(lists[0], lists[1]);
  }
});

Deno.test("the score of a vector search is the cosine similarity", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, { "Kitchen": NOTES.Kitchen });
  await allEmbedded(engine);
  const { results: [hit] } = await search(engine, { query: "kettle and vinegar", mode: "vector" });
  const queryVector = embed("query: kettle and vinegar", 64);
  const stored = embed(server.inputs.find((text) => text.startsWith("passage: "))!, 64);
  const dot = queryVector.reduce((sum, value, i) => sum + value * stored[i]!, 0);
  // Vectors are stored with 10 bits per dimension.
  const cosine = dot / Math.hypot(...queryVector) / Math.hypot(...stored);
  assert(Math.abs(hit.score - cosine) < 1e-3, `${hit.score} instead of ${cosine}`);
});
