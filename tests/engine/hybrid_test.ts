import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { SearchRequest, SearchResult } from "../../src/contract/mod.ts";
import type { EmbeddingOptions } from "../../src/embeddings/mod.ts";
import { DataDirError } from "../../src/engine/sqlite/store/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { EmbeddedEngine, type ParsedResponse } from "../support/embedded_engine.ts";
import { embed, type EmbeddingsRequest, refusal, TestEmbedder } from "../support/test_embedder.ts";
import { embeddingOptions } from "./sqlite/backfill/support.ts";

/** Tells what is asked for a query from what is asked for documents. */
const PREFIXES = { queryPrefix: "query: ", documentPrefix: "passage: " };

/** An engine with a model of its own. */
async function open(server: TestEmbedder, options: Partial<EmbeddingOptions> = {}): Promise<EmbeddedEngine> {
  return await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url, { ...PREFIXES, ...options }) });
}

function isQuery({ input: [text = ""] }: EmbeddingsRequest): boolean {
  return text.startsWith(PREFIXES.queryPrefix);
}

/** How many requests of a kind the model has had. */
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

/** Stores notes: titles and texts. */
async function addNotes(engine: EmbeddedEngine, notes: Record<string, string>, tags: readonly string[] = []) {
  for (const [title, text] of Object.entries(notes)) await engine.ingest({ title, text, tags });
}

/** Resolves when a condition holds; fails after a minute. */
async function until(isMet: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !await isMet();) {
    if (Date.now() > deadline) throw new Error(`Must come to be within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function vectors(engine: EmbeddedEngine) {
  return (await engine.call("status")).body.vectors;
}

/** Resolves when every chunk has its vector. */
async function allEmbedded(engine: EmbeddedEngine): Promise<void> {
  await until(async () => {
    const { embedded, total } = await vectors(engine);
    return embedded === total;
  }, "every chunk has its vector");
}

const NOTES = {
  "Garage": "Our automobile needs new tyres before the winter.",
  "Surgery": "The physician sees patients on Tuesday mornings.",
  "Kitchen": "Descale the teapot with vinegar once a month.",
  "Garden": "Ferns want shade and water.",
};

Deno.test("vectors find what words do not", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  assertEquals((await search(engine, { query: "vehicle", mode: "fts" })).results, []);
  for (
    const [query, title] of [["vehicle", "Garage"], ["doctor", "Surgery"], ["kettle", "Kitchen"]] as const
  ) {
    for (const mode of ["vector", "hybrid"] as const) {
      const answer = await search(engine, { query, mode });
      assertEquals([answer.mode, titles(answer.results)[0]], [mode, title], `${query}, ${mode}`);
      assertEquals([answer.total, answer.warning], [4, undefined]);
      assertEquals(answer.vectors, { embedded: 4, total: 4 });
    }
  }
});

Deno.test("what is found both by words and by meaning comes before what is found by one of them", async () => {
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
    titles((await search(engine, { query: "car", mode })).results);
  assertEquals(await ranked("fts"), ["Words", "Both"]);
  assertEquals((await ranked("vector")).slice(0, 2), ["Both", "Meaning"]);
  assertEquals(await ranked("hybrid"), ["Both", "Words", "Meaning", "Neither"]);
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

Deno.test("a search runs as it is asked to, says how it ran, and asks the model only where it is needed", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  for (const [n, [request, mode]] of MODES.entries()) {
    const before = requests(server, "query");
    const answer = await search(engine, { query: `ferns ${n}`, ...request });
    assertEquals([answer.mode, answer.warning], [mode, undefined], JSON.stringify(request));
    assertEquals(requests(server, "query") - before, mode === "fts" ? 0 : 1, JSON.stringify(request));
  }
  const refused: Partial<SearchRequest>[] = [
    { fts_only: true, vec_only: true },
    { fts_only: true, mode: "vector" },
    { vec_only: true, mode: "hybrid" },
  ];
  for (const request of refused) {
    const { status, body } = await engine.call("search", { body: { query: "ferns", ...request } });
    assertEquals([status, body.error.code], [400, "invalid"], JSON.stringify(request));
  }
});

Deno.test("without a model hybrid is full text with a warning, and vectors are refused with what to do", async () => {
  await using engine = await EmbeddedEngine.open();
  await addNotes(engine, NOTES);
  const hybrid = await search(engine, { query: "ferns", mode: "hybrid" });
  assertEquals([hybrid.mode, titles(hybrid.results), hybrid.vectors], ["fts", ["Garden"], undefined]);
  assertStringIncludes(hybrid.warning, "KB_EMBEDDINGS_URL");
  assertEquals((await search(engine, { query: "ferns" })).warning, undefined);
  const { status, body } = await engine.call("search", { body: { query: "ferns", mode: "vector" } });
  assertEquals(status, 400);
  assertStringIncludes(body.error.message, "KB_EMBEDDINGS_URL");
  assertEquals(await vectors(engine), null);
});

Deno.test("filters come before the scan: what passes is found however far everything else is ahead", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server, { batchSize: 64 });
  const near = Array.from({ length: 260 }, (_, n) => `A car, an automobile, vehicle number ${n}.`);
  await Promise.all(near.map((text) => engine.ingest({ text, tags: ["near"] })));
  await addNotes(engine, { "Far": "Ferns want shade.", "Further": "Water them on Monday." }, ["far"]);
  await allEmbedded(engine);
  for (const mode of ["vector", "hybrid"] as const) {
    const answer = await search(engine, { query: "car", mode, tags: ["far"], top: 5 });
    assertEquals([answer.mode, answer.total], [mode, 2]);
    assertEquals(titles(answer.results).toSorted(), ["Far", "Further"]);
    const none = await search(engine, { query: "car", mode, tags: ["unknown"] });
    assertEquals([none.mode, none.total, none.results], [mode, 0, []]);
    const others = await search(engine, { query: "car", mode, tags_none: ["near"], top: 5 });
    assertEquals(others.total, 2);
  }
  assertEquals((await search(engine, { query: "car", mode: "vector" })).total, 262);
});

Deno.test("quotations and exclusions hold for vectors too, and what is embedded has no syntax", async () => {
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

Deno.test("a document is found by its words at once, and by its meaning when its vector has come", async () => {
  await using server = TestEmbedder.start();
  const held = Promise.withResolvers<void>();
  server.options.answer = async (_, request) => {
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

/** What a model may do to a query instead of answering it, and what the warning says of it. */
const FAILURES: [string, (server: TestEmbedder) => Response | Promise<Response>, string][] = [
  ["answers 500", () => refusal(500, "CUDA out of memory"), "500"],
  ["answers 503", () => refusal(503), "not available"],
  ["answers 429", () => refusal(429, "slow down", { "retry-after": "1" }), "429"],
  ["answers 401", () => refusal(401, "Incorrect API key provided: secret-key"), "401"],
  ["answers 404", () => refusal(404, "no such model"), "404"],
  ["hangs", (server) => server.hang(), "did not answer within"],
  ["answers HTML", () => new Response("<html>Bad gateway</html>"), "check KB_EMBEDDINGS_URL"],
  ["answers no vector", () => Response.json({ data: [] }), "got 0 vectors"],
  [
    "answers vectors of another length",
    (server) => server.reply(["x"], 32),
    "32 dimensions, those that are stored have 64",
  ],
  [
    "answers what is no number",
    () => Response.json({ data: [{ index: 0, embedding: ["a"] }] }),
    "has no vector",
  ],
];

for (const [what, answer, said] of FAILURES) {
  Deno.test(`a model that ${what} leaves a search full text, with a warning`, async () => {
    await using server = TestEmbedder.start();
    await using engine = await open(server, { timeoutMs: 1000, apiKey: "secret-key" });
    await addNotes(engine, NOTES);
    await allEmbedded(engine);
    server.options.answer = () => answer(server);
    for (const mode of ["hybrid", "vector"] as const) {
      const found = await search(engine, { query: "ferns", mode });
      assertEquals([found.mode, titles(found.results)], ["fts", ["Garden"]]);
      assertStringIncludes(found.warning, "Searched full text only: ");
      assertStringIncludes(found.warning, said);
      assert(found.warning.length < 400 && !found.warning.includes("secret-key"), found.warning);
      assertEquals(found.vectors, { embedded: 4, total: 4 });
    }
  });
}

Deno.test("after a failure searches do not wait for the model, and use it again when it is back", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server, { timeoutMs: 1000 });
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  server.options.answer = () => server.hang();
  await search(engine, { query: "vehicle 0" });
  const asked = requests(server, "query");
  for (let n = 1; n < 10; n++) {
    const { mode, warning } = await search(engine, { query: `vehicle ${n}` });
    assertEquals(mode, "fts");
    assertStringIncludes(warning, "did not answer within 1 s");
  }
  assertEquals(requests(server, "query"), asked);

  delete server.options.answer;
  await until(
    async () => (await search(engine, { query: "vehicle" })).mode === "hybrid",
    "the search is hybrid",
  );
  const { results, warning } = await search(engine, { query: "vehicle" });
  assertEquals([titles(results)[0], warning], ["Garage", undefined]);
});

Deno.test("a model that is not there at all is a warning in answers, and an error in the status", async () => {
  const gone = TestEmbedder.start();
  await gone[Symbol.asyncDispose]();
  await using engine = await open(gone);
  await addNotes(engine, NOTES);
  const found = await search(engine, { query: "ferns" });
  assertEquals([found.mode, titles(found.results)], ["fts", ["Garden"]]);
  assertStringIncludes(found.warning, "cannot be reached");
  await until(async () => (await vectors(engine)).error !== null, "the status has the error");
  const { error, ...counts } = await vectors(engine);
  assertStringIncludes(error, "cannot be reached");
  assertEquals(counts, { dimensions: null, embedded: 0, refused: 0, total: 4, memory_bytes: 0 });
});

Deno.test("a chunk that the model refuses is found by its words, and counted", async () => {
  await using server = TestEmbedder.start({ refuse: (text) => text.includes("Ferns") ? 400 : undefined });
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await until(async () => (await vectors(engine)).embedded === 3, "three chunks have vectors");
  await until(async () => (await vectors(engine)).refused === 1, "one is refused");
  const found = await search(engine, { query: "ferns" });
  assertEquals([found.mode, titles(found.results)[0], found.total], ["hybrid", "Garden", 4]);
  assertEquals((await search(engine, { query: "shade", mode: "vector" })).total, 3);
});

Deno.test("a note that is changed has the vector of its new text, and one that is deleted none", async () => {
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

Deno.test("an engine that is opened again has its vectors, and asks for none twice", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const asked = requests(server, "passage");
  await engine.reopen({ embeddings: embeddingOptions(server.url, PREFIXES) });
  assertEquals(titles((await search(engine, { query: "vehicle", mode: "vector" })).results)[0], "Garage");
  // What comes now is embedded behind all that was there.
  await addNotes(engine, { "New": "Acquire a lamp." });
  await allEmbedded(engine);
  assertEquals(titles((await search(engine, { query: "buy", mode: "vector" })).results)[0], "New");
  assertEquals(requests(server, "passage"), asked + 1);
});

Deno.test("an engine with another model is refused with the command that embeds anew, and the old one still opens", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const changes: Partial<EmbeddingOptions>[] = [
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
  // And without a model what is stored is no hindrance.
  await engine.reopen();
  assertEquals((await search(engine, { query: "automobile" })).mode, "fts");
});

Deno.test("the key of the model is in no answer, no log and no file", async () => {
  const key = "sk-test-5f3a9c";
  const lines: string[] = [];
  await using server = TestEmbedder.start({ apiKey: key });
  const embeddings = embeddingOptions(server.url, { ...PREFIXES, apiKey: key });
  await using engine = await EmbeddedEngine.open({
    embeddings,
    log: createLogger("debug", (line) => lines.push(line)),
  });
  await addNotes(engine, NOTES);
  await allEmbedded(engine);
  const answers: ParsedResponse[] = [];
  const ask = async () => {
    answers.push(await engine.call("search", { body: { query: `ferns ${answers.length}` } }));
    answers.push(await engine.call("status"));
  };
  await ask();
  // It says the key that it was sent.
  server.options.apiKey = "another";
  await ask();
  await addNotes(engine, { "More": "Another note." });
  await until(async () => (await vectors(engine)).error !== null, "the status has the error");
  await ask();
  assertEquals(answers.map(({ status }) => status), answers.map(() => 200));
  assert(answers.some(({ body }) => typeof body.warning === "string"));
  assert(lines.length > 0);
  assert(!JSON.stringify(answers.map(({ body }) => body)).includes(key));
  assert(!lines.join("\n").includes(key));
  await engine.close();
  for await (const { name, isFile } of Deno.readDir(engine.dataDir)) {
    const bytes = isFile ? await Deno.readFile(`${engine.dataDir}/${name}`) : new Uint8Array();
    assert(!new TextDecoder("latin1").decode(bytes).includes(key), name);
  }
});

Deno.test("pages of a hybrid search are one list, whatever their size, over a real store", async () => {
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

Deno.test("the vectors' score is the cosine of the angle between what is asked and what is stored", async () => {
  await using server = TestEmbedder.start();
  await using engine = await open(server);
  await addNotes(engine, { "Kitchen": NOTES.Kitchen });
  await allEmbedded(engine);
  const { results: [hit] } = await search(engine, { query: "kettle and vinegar", mode: "vector" });
  const asked = embed("query: kettle and vinegar", 64);
  const stored = embed(server.inputs.find((text) => text.startsWith("passage: "))!, 64);
  const dot = asked.reduce((sum, value, i) => sum + value * stored[i]!, 0);
  assert(Math.abs(hit.score - dot / Math.hypot(...asked) / Math.hypot(...stored)) < 1e-5);
});
