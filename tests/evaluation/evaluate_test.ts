import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";
import { EvalError, evaluate, readSet, table, worstQueries } from "../../src/evaluation/mod.ts";
import { openHarness } from "../support/harness.ts";
import type { Handler } from "../support/recorder.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";
import { type SetFiles, setFolder, SMALL_SET } from "./support.ts";

async function smallSet(files: SetFiles = SMALL_SET) {
  await using folder = await setFolder(files);
  const set = await readSet(folder.path);
  const documents = await Array.fromAsync(set.documents?.() ?? []);
  // Read here, for the folder is gone when they are asked for.
  async function* again() {
    yield* documents;
  }
  return { ...set, name: "small", documents: set.documents && again };
}

const pause = () => Promise.resolve();

function clientOf(handler: Handler): EngineClient {
  return new EngineClient({
    baseUrl: "http://engine",
    fetch: async (input, init) => await handler(new Request(input, init)),
  });
}

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`a set is ingested and asked for through the API, with the engine ${placement}`, async () => {
    await using harness = await openHarness({ placement });
    const evaluation = await evaluate(await smallSet(), { client: harness.engine });
    assertEquals(evaluation.mode, "fts");
    assertEquals([evaluation.documents, evaluation.queries, evaluation.skipped], [5, 3, 1]);
    // Two documents of the same text are one to the engine, and both are found by it.
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

Deno.test("judgements without documents measure what is there, named by source path, id or title", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  await harness.note({ text: "The kettle stands in the cupboard.", source_path: "kitchen/kettle.md" });
  const id = await harness.note({ text: "The train leaves from platform nine." });
  await harness.note({ text: "A glossary of engineering terms.", title: "The Glossary" });
  const set = await smallSet({
    ...SMALL_SET,
    "docs.jsonl": undefined,
    "qrels.tsv": `1\tkitchen/kettle.md\t1\n2\t${id}\t1\n3\tThe Glossary\t1\n`,
  });
  const { documents, scores } = await evaluate(set, { client: harness.engine });
  assertEquals([documents, scores["recall@100"]], [undefined, 1]);
});

Deno.test("judgements that name nothing of the knowledge base are told", async () => {
  await using harness = await openHarness({ placement: "embedded" });
  await harness.note({ text: "The kettle stands in the cupboard." });
  const set = await smallSet({ ...SMALL_SET, "docs.jsonl": undefined });
  const error = await assertRejects(() => evaluate(set, { client: harness.engine }), EvalError);
  assertMatch(error.message, /must be named by source path, id or title as this knowledge base has them/);
});

Deno.test("an engine that knows no pages, modes or vectors is measured as far as it goes", async () => {
  const { scores, mode } = await evaluate(await smallSet(), { client: clientOf(thirdPartyEngine()) });
  assertEquals([mode, scores["recall@100"]], ["fts", 1]);
});

/** An engine whose search answers pages, and whose vectors come one with each status. */
function paging({ vectors, warning }: { vectors?: readonly number[]; warning?: string } = {}): {
  handler: Handler;
  requests: Record<string, unknown>[];
} {
  const base = thirdPartyEngine();
  const requests: Record<string, unknown>[] = [];
  let asked = 0;
  const handler: Handler = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v1/status") {
      const embedded = vectors?.[Math.min(asked++, vectors.length - 1)];
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
    return Response.json({ mode: "hybrid", warning, results: [result], next_cursor: String(page + 1) });
  };
  return { handler, requests };
}

Deno.test("further pages are asked for with the same request, but no more than six", async () => {
  const { handler, requests } = paging();
  await evaluate(await smallSet(), { client: clientOf(handler), mode: "hybrid" });
  const [first, second] = requests;
  assertEquals(first, { query: "Where is the kettle?", top: 50, per_document: 1, mode: "hybrid" });
  assertEquals(second, { ...first, cursor: "1" });
  // Three queries, each asked once more before it is measured.
  assertEquals(requests.length, 3 * 2 * 6);
});

Deno.test("vectors are waited for before anything is asked", async () => {
  const { handler } = paging({ vectors: [0, 0, 3, 4] });
  const told: string[] = [];
  const evaluation = await evaluate(await smallSet(), {
    client: clientOf(handler),
    onProgress: (text) => told.push(text),
    pause,
  });
  assertEquals(told, [
    "small: ingesting documents",
    "small: 0 of 4 vectors",
    "small: 3 of 4 vectors",
    "small: asking 3 queries",
  ]);
  assertEquals([evaluation.mode, evaluation.model], ["hybrid", "test-model"]);
});

Deno.test("vectors that come slowly are waited for as long as they come", async () => {
  const slowly = [0, 1, 2, 3, 4].flatMap((embedded) => Array.from({ length: 400 }, () => embedded));
  const { handler } = paging({ vectors: slowly });
  assertEquals((await evaluate(await smallSet(), { client: clientOf(handler), pause })).queries, 3);
});

Deno.test("vectors that grow no further end the evaluation, unless only full text is measured", async () => {
  const set = await smallSet();
  const { handler } = paging({ vectors: [2] });
  const client = clientOf(handler);
  const error = await assertRejects(() => evaluate(set, { client, pause }), EvalError);
  assertMatch(
    error.message,
    /^The vectors stand at 2 of 4 and grow no further: .*--mode fts measures without/,
  );
  assertEquals((await evaluate(set, { client, mode: "fts", pause })).queries, 3);
});

Deno.test("a job that fails is told with the document's id", async () => {
  const base = thirdPartyEngine();
  const client = clientOf((request) =>
    /\/jobs\//.test(request.url)
      ? Response.json({ job_id: 1, status: "failed", error: "the file is damaged" })
      : base(request)
  );
  const set = await smallSet();
  const error = await assertRejects(() => evaluate(set, { client }), EvalError);
  assertMatch(error.message, /^Document "kettle" was not ingested: the file is damaged$/);
});

Deno.test("the table has a line for each evaluation and says what was left out", async () => {
  const { handler } = paging({ warning: "the embedder failed" });
  const evaluation = await evaluate(await smallSet(), { client: clientOf(handler), pause });
  const [head = "", row = "", ...notes] = table([evaluation]).split("\n");
  assertMatch(
    head,
    /^set {4}mode {4}documents +queries +ndcg@10 +map +recall@100 +p@10 +p50 ms +p95 ms +p99 ms$/,
  );
  assertMatch(
    row,
    /^small +hybrid +5 +3 +[\d.]{6} +[\d.]{6} +[\d.]{6} +[\d.]{6} +\d+\.\d +\d+\.\d +\d+\.\d$/,
  );
  assertEquals(notes, [
    "small: vectors by test-model",
    "small: 1 queries without a relevant document are left out",
    "small: 3 answers came with a warning, the first: the embedder failed",
  ]);
  assertMatch(
    worstQueries(evaluation),
    /^small: the worst queries by ndcg@10\n +0\.0000 +3 +engineering glossary\n/,
  );
});
