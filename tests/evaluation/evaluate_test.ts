import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";
import {
  evaluate,
  type Evaluation,
  EvaluationError,
  formatLanguages,
  formatTable,
  formatWorstQueries,
  readTestCollection,
} from "../../src/evaluation/mod.ts";
import { openHarness } from "../support/harness.ts";
import type { Handler } from "../support/recorder.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";
import { lines, type SetFiles, setFolder, SMALL_SET } from "./support.ts";

async function smallSet(files: SetFiles = SMALL_SET) {
  await using folder = await setFolder(files);
  const set = await readTestCollection(folder.path);
  const documents = await Array.fromAsync(set.documents?.() ?? []);
  // Read eagerly, because the folder is removed on return.
  async function* again() {
    yield* documents;
  }
  return { ...set, name: "small", documents: set.documents && again };
}

const delay = () => Promise.resolve();

/** Evaluates one mode. */
async function evaluateOne(...parameters: Parameters<typeof evaluate>): Promise<Evaluation> {
  const evaluations = await evaluate(...parameters);
  assertEquals(evaluations.length, 1);
  return evaluations[0]!;
}

function clientOf(handler: Handler): EngineClient {
  return new EngineClient({
    baseUrl: "http://engine",
    fetch: async (input, init) => await handler(new Request(input, init)),
  });
}

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`a test collection is ingested and searched through the API, with the engine ${placement}`, async () => {
    await using harness = await openHarness({ placement });
    const evaluation = await evaluateOne(await smallSet(), { client: harness.engine });
    assertEquals(evaluation.mode, "fts");
    assertEquals([evaluation.documents, evaluation.queries, evaluation.skipped], [5, 3, 1]);
    // The engine merges two documents with the same text; a hit counts for both.
    assertEquals(evaluation.scores["recall@100"], 1);
    assertEquals(evaluation.scores["ndcg@10"], 1);
    const { p50, p95, p99 } = evaluation.latency;
    assert(0 < p50 && p50 <= p95 && p95 <= p99);
    assertEquals(harness.sent("POST", "/api/v1/jobs")[0], {
      title: ["Kettles"],
      source_path: ["kettle"],
      text: ["The kettle stands in the cupboard."],
    });
  });
}

Deno.test("without documents, existing ones are evaluated by source path, id or title", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  await harness.note({ text: "The kettle stands in the cupboard.", source_path: "kitchen/kettle.md" });
  const id = await harness.note({ text: "The train leaves from platform nine." });
  await harness.note({ text: "A glossary of engineering terms.", title: "The Glossary" });
  const set = await smallSet({
    ...SMALL_SET,
    "docs.jsonl": undefined,
    "qrels.tsv": `1\tkitchen/kettle.md\t1\n2\t${id}\t1\n3\tThe Glossary\t1\n`,
  });
  const { documents, scores } = await evaluateOne(set, { client: harness.engine });
  assertEquals([documents, scores["recall@100"]], [undefined, 1]);
});

Deno.test("judgements that match no document of the knowledge base are an error", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  await harness.note({ text: "The kettle stands in the cupboard." });
  const set = await smallSet({ ...SMALL_SET, "docs.jsonl": undefined });
  const error = await assertRejects(() => evaluate(set, { client: harness.engine }), EvaluationError);
  assertMatch(error.message, /must name documents by their source path, id or title in this knowledge base/);
});

Deno.test("an engine without pagination, modes and vectors is evaluated on its first page", async () => {
  const { scores, mode } = await evaluateOne(await smallSet(), { client: clientOf(thirdPartyEngine()) });
  assertEquals([mode, scores["recall@100"]], ["fts", 1]);
});

/** An engine with endless search pages, whose number of vectors changes with each status request. */
function pagingEngine({ vectors, warning }: { vectors?: readonly number[]; warning?: string } = {}): {
  handler: Handler;
  requests: Record<string, unknown>[];
} {
  const base = thirdPartyEngine();
  const requests: Record<string, unknown>[] = [];
  let statusRequests = 0;
  const handler: Handler = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v1/status") {
      const embedded = vectors?.[Math.min(statusRequests++, vectors.length - 1)];
      return Response.json({
        version: "3.0.0",
        model: { name: "test-model" },
        ...(embedded === undefined ? {} : { vectors: { embedded, total: 4 } }),
      });
    }
    if (pathname !== "/api/v1/search") return await base(request);
    const body = await request.json();
    requests.push(body);
    const page = Number(body.cursor ?? 0);
    const result = { chunk_id: page, document_id: `doc-${2 * page + 1}`, score: 1 / (page + 1), text: "x" };
    return Response.json({
      mode: "hybrid",
      warning,
      results: [result],
      next_cursor: String(page + 1),
      // Otherwise the client would emulate per_document and drop the cursor.
      filters_applied: { per_document: 1 },
    });
  };
  return { handler, requests };
}

Deno.test("a query reads at most six pages, with the same request and a cursor", async () => {
  const { handler, requests } = pagingEngine();
  await evaluate(await smallSet(), { client: clientOf(handler), modes: ["hybrid"] });
  const [first, second] = requests;
  assertEquals(first, { query: "Where is the kettle?", top: 50, per_document: 1, mode: "hybrid" });
  assertEquals(second, { ...first, cursor: "1" });
  // Each of the three queries also runs once as a warm-up.
  assertEquals(requests.length, 3 * 2 * 6);
});

Deno.test("evaluation waits for vectors before the first query", async () => {
  const { handler } = pagingEngine({ vectors: [0, 0, 3, 4] });
  const reported: string[] = [];
  const evaluation = await evaluateOne(await smallSet(), {
    client: clientOf(handler),
    modes: ["hybrid"],
    onProgress: (text) => reported.push(text),
    delay,
  });
  assertEquals(reported, [
    "small: ingesting documents",
    "small: 0 of 4 vectors",
    "small: 3 of 4 vectors",
    "small: running 3 queries, hybrid",
  ]);
  assertEquals([evaluation.mode, evaluation.model], ["hybrid", "test-model"]);
});

Deno.test("evaluation waits for slow vectors as long as their number grows", async () => {
  const slowly = [0, 1, 2, 3, 4].flatMap((embedded) => Array.from({ length: 400 }, () => embedded));
  const { handler } = pagingEngine({ vectors: slowly });
  const [first] = await evaluate(await smallSet(), { client: clientOf(handler), delay });
  assertEquals(first?.queries, 3);
});

Deno.test("evaluation fails when embedding stops, except with --mode fts", async () => {
  const set = await smallSet();
  const { handler } = pagingEngine({ vectors: [2] });
  const client = clientOf(handler);
  const error = await assertRejects(() => evaluate(set, { client, delay }), EvaluationError);
  assertMatch(
    error.message,
    /^Embedding stopped at 2 of 4 vectors: .*--mode fts to evaluate without vectors/,
  );
  assertEquals((await evaluateOne(set, { client, modes: ["fts"], delay })).queries, 3);
});

Deno.test("a failed job is reported with the id of its document", async () => {
  const base = thirdPartyEngine();
  const client = clientOf((request) => {
    const id = /\/jobs\/([^/?]+)/.exec(request.url)?.[1];
    return id ? Response.json({ job_id: id, status: "failed", error: "the file is damaged" }) : base(request);
  });
  const set = await smallSet();
  const error = await assertRejects(() => evaluate(set, { client }), EvaluationError);
  assertMatch(error.message, /^Document "kettle" was not ingested: the file is damaged$/);
});

Deno.test("the table has a line per evaluation and notes about skipped queries", async () => {
  const { handler } = pagingEngine({ warning: "the embedder failed" });
  const evaluation = await evaluateOne(await smallSet(), {
    client: clientOf(handler),
    modes: ["hybrid"],
    delay,
  });
  const [head = "", row = "", ...notes] = formatTable([evaluation]).split("\n");
  assertMatch(
    head,
    /^set {4}mode {4}documents +queries +ndcg@10 +map +mrr +recall@1 +recall@5 +recall@100 +p@10 +p50 ms +p95 ms +p99 ms$/,
  );
  assertMatch(
    row,
    /^small +hybrid +5 +3 +[\d.]{6} +[\d.]{6} +[\d.]{6} +[\d.]{6} +[\d.]{6} +[\d.]{6} +[\d.]{6} +\d+\.\d +\d+\.\d +\d+\.\d$/,
  );
  assertEquals(notes, [
    "small: vectors by test-model",
    "small: skipped 1 queries without a relevant document",
    "small hybrid: 3 searches returned a warning; the first: the embedder failed",
  ]);
  assertMatch(
    formatWorstQueries(evaluation),
    /^small hybrid: queries with the lowest ndcg@10\n +0\.0000 +3 +engineering glossary\n/,
  );
});

Deno.test("an engine with vectors is evaluated in all modes, over one ingestion", async () => {
  const { handler, requests } = pagingEngine({ vectors: [4] });
  const evaluations = await evaluate(await smallSet(), { client: clientOf(handler), delay });
  assertEquals([...new Set(requests.map(({ mode }) => mode))], ["fts", "vector", "hybrid"]);
  assertEquals(evaluations.map(({ documents }) => documents), [5, 5, 5]);
});

Deno.test("empty documents are skipped and counted", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  const set = await smallSet({
    ...SMALL_SET,
    "docs.jsonl": `${SMALL_SET["docs.jsonl"]}${lines([{ id: "471", title: " ", text: "" }, { id: "995" }])}`,
  });
  const evaluation = await evaluateOne(set, { client: harness.engine });
  assertEquals([evaluation.documents, evaluation.emptyDocuments], [5, 2]);
  assertMatch(formatTable([evaluation]), /^small: skipped 2 empty documents$/m);
});

Deno.test("queries are grouped by their language or that of their documents, and across languages", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  const set = await smallSet({
    "docs.jsonl": lines([
      { id: "kettle", text: "The kettle stands in the cupboard.", language: "en" },
      { id: "zug", text: "Der Zug fährt um neun.", language: "de" },
    ]),
    "queries.jsonl": lines([
      { id: "1", text: "kettle" },
      { id: "2", text: "Zug", language: "de" },
      { id: "3", text: "departure", language: "en" },
    ]),
    "qrels.tsv": "1\tkettle\t1\n2\tzug\t1\n3\tzug\t1\n",
  });
  const evaluation = await evaluateOne(set, { client: harness.engine });
  assertEquals(
    evaluation.languages.map(({ language, queries, scores }) => [language, queries, scores["recall@1"]]),
    [["de", 1, 1], ["en", 1, 1], ["cross-language", 1, 0]],
  );
  assertEquals(formatLanguages([evaluation]).split("\n").map((line) => line.replaceAll(/ +/g, " ")), [
    "set language queries fts recall@1 recall@5",
    "small de 1 1.000 1.000",
    "small en 1 1.000 1.000",
    "small cross-language 1 0.000 0.000",
  ]);
  assertEquals(formatLanguages([{ ...evaluation, languages: [] }]), "");
});
