// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures the latency of searches in 100,000 chunks, through the engine's API:
 * `deno run -A tests/bench/search.ts [CHUNKS]`.
 *
 * "Right after a write" means that another connection has just written, which invalidates the caches. The
 * stored vectors are random, which makes no difference to a scan. New questions are embedded by the built-in
 * model if its file is present (`deno task model`), otherwise by a fake one; repeated questions are cached.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import type { SearchRequest } from "../../src/contract/mod.ts";
import { type EmbeddingSettings, Engine, type EngineOptions } from "../../src/engine/mod.ts";
import { analysisStep } from "../../src/engine/sqlite/store/mod.ts";
import { writeCorpus } from "../engine/sqlite/search/corpus.ts";
import { engineOptions } from "../support/engine_options.ts";
import { TestEmbedder } from "../support/test_embedder.ts";
import { hasRealModel } from "../support/real_model.ts";
import { seededRandom } from "../support/random.ts";
import { syntheticText } from "./corpus.ts";
import { latencyColumns, quantile } from "./measure.ts";

const CHUNKS = Number(Deno.args[0] ?? 100_000);
const DIMENSIONS = 384;
const QUERIES = 300;
/** Number of repeated questions: the cache of query vectors holds all of them. */
const CACHED_QUERIES = 200;
/** Documents ingested during the searches, of about 600 words each. */
const ARRIVING = 1000;
const SENDERS = 8;

type Filter = Omit<SearchRequest, "query">;

interface Row {
  "p50 ms": string;
  "p95 ms": string;
  "p99 ms": string;
  "max ms": string;
  target: string;
}

const text = syntheticText(1);

/** Measures on a temporary data directory and prints a table. */
export async function benchSearch(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  await using embedder = TestEmbedder.start({ dimensions: DIMENSIONS });
  try {
    const options: EngineOptions = { ...engineOptions(dataDir), embeddings: embeddings(embedder.url) };
    await create(options);
    await fill(`${dataDir}/kb.db`);
    await measure(options);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

function embeddings(url: string): EmbeddingSettings {
  if (hasRealModel()) return { type: "builtin", model: "builtin", isDefault: false, mayDownload: false };
  return {
    type: "api",
    url,
    model: "test-model",
    queryPrefix: "",
    documentPrefix: "",
    batchSize: 64,
    concurrency: 2,
    timeoutMs: 30_000,
  };
}

/** Creates the database, with an empty set of vectors. */
async function create(options: EngineOptions): Promise<void> {
  const engine = await Engine.open(options);
  while (!(await status(engine)).vectors) await new Promise((resolve) => setTimeout(resolve, 20));
  await engine.close();
}

async function fill(path: string): Promise<void> {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
    const started = performance.now();
    writeCorpus(db, text.documents(CHUNKS));
    while (await analysisStep(db));
    const { next: random } = seededRandom(2);
    const add = db.prepare("INSERT INTO chunk_vectors (chunk_id, set_id, vector) VALUES (?, 1, ?)");
    db.exec(`BEGIN; UPDATE embedding_sets SET dimensions = ${DIMENSIONS}`);
    for (const { id } of db.prepare("SELECT id FROM chunks").all() as { id: number }[]) {
      add.run(id, randomVector(random));
    }
    db.exec("COMMIT");
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`\n${CHUNKS} chunks with vectors of ${DIMENSIONS} dimensions written in ${seconds} s`);
  } finally {
    db.close();
  }
}

function randomVector(random: () => number): Uint8Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
  const length = Math.hypot(...vector);
  return new Uint8Array(vector.map((each) => each / length).buffer);
}

async function measure(options: EngineOptions): Promise<void> {
  const rows: Record<string, Row> = {};
  await using engine = await Engine.open(options);
  const other = new DatabaseSync(`${options.dataDir}/kb.db`);
  const touch = other.prepare("UPDATE embedding_sets SET created_at = created_at || ' '");
  const keywords = Array.from({ length: QUERIES }, text.keywords);
  const questions = Array.from({ length: QUERIES }, text.question);

  let started = performance.now();
  await search(engine, { query: keywords[0] as string, mode: "fts" });
  console.log(`first search by words ${(performance.now() - started).toFixed(0)} ms`);
  started = performance.now();
  await search(engine, { query: keywords[0] as string, mode: "vector" });
  console.log(`first search by vectors ${(performance.now() - started).toFixed(0)} ms, loading them`);

  const add = async (name: string, queries: readonly string[], filter: Filter, target = "") => {
    const times: number[] = [];
    for (const query of queries) times.push(await timed(() => search(engine, { query, ...filter })));
    rows[name] = { ...latencyColumns(times), target };
  };
  const fts = { mode: "fts" } as const;
  await add("full text, 3 keywords", keywords, fts);
  await add("full text, question of 5-12 words", questions, fts, "p50 4, p99 40");
  const touched: number[] = [];
  for (const query of questions) {
    touch.run();
    touched.push(await timed(() => search(engine, { query, ...fts })));
  }
  rows["  right after a write"] = { ...latencyColumns(touched), target: "p50 4, p99 40" };
  await add("  in half of all documents", questions, { ...fts, tags: ["collection:memory"] });
  await add("  in 1 % of the documents", questions, { ...fts, tags: ["topic-7"] });
  await add("  of a type, since a time", questions, { ...fts, doc_type: "markdown", since: "2025-06-01" });
  await add("  quoted", keywords.map((query) => `"${query.split(" ").slice(0, 2).join(" ")}"`), fts);

  const newQuestions = () => Array.from({ length: QUERIES }, text.question);
  const repeated = questions.slice(-CACHED_QUERIES);
  await add("vectors, new questions", questions, { mode: "vector" });
  await add("vectors, repeated questions", repeated, { mode: "vector" });
  await add("hybrid, repeated questions", repeated, { mode: "hybrid" }, "p50 15");
  await add("hybrid, in 1 % of the documents", repeated, { mode: "hybrid", tags: ["topic-7"] });
  await add("hybrid, new questions", newQuestions(), { mode: "hybrid" }, "p50 20");

  // Without vectors: the fake embedding model would use this thread.
  await engine.close();
  const { embeddings: _, ...words } = options;
  await using byWords = await Engine.open(words);
  await byWords.warmUp();
  const idle: number[] = [];
  for (const query of [...questions, ...questions]) {
    idle.push(await timed(() => search(byWords, { query, ...fts })));
  }
  idle.splice(0, questions.length);
  const { times, seconds } = await whileIngesting(byWords, questions);
  const ratio = quantile(times, 0.95) / quantile(idle, 0.95);
  rows[`full text while ${ARRIVING} documents are ingested`] = {
    ...latencyColumns(times),
    target: `p95 2.5 × idle: ${ratio.toFixed(1)} ×`,
  };
  console.log(
    `${ARRIVING} documents ingested in ${seconds.toFixed(1)} s during ${times.length} searches`,
  );
  console.table(rows);
  other.close();
}

async function whileIngesting(
  engine: Engine,
  questions: readonly string[],
): Promise<{ times: number[]; seconds: number }> {
  // Requests are encoded beforehand, because the work of the senders does not count.
  const arriving: { contentType: string; body: Uint8Array<ArrayBuffer> }[] = [];
  for (const { title, chunks } of [...syntheticText(3).documents(ARRIVING * 3)].slice(0, ARRIVING)) {
    const form = new FormData();
    form.append("title", title);
    form.append("text", chunks.map((chunk) => typeof chunk === "string" ? chunk : chunk.text).join("\n\n"));
    const request = new Request("http://engine", { method: "POST", body: form });
    arriving.push({
      contentType: request.headers.get("content-type") ?? "",
      body: await request.bytes(),
    });
  }
  const started = performance.now();
  let sent = 0;
  const senders = Array.from({ length: SENDERS }, async () => {
    for (let job = arriving[sent++]; job; job = arriving[sent++]) {
      const headers = { "content-type": job.contentType };
      const response = await engine.fetch(
        new Request("http://engine/api/v1/jobs", { method: "POST", headers, body: job.body }),
      );
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  });
  const times: number[] = [];
  let isIngesting = true;
  const ingested = Promise.all(senders).then(async () => {
    while (isIngesting) {
      const { queue } = await status(engine);
      isIngesting = queue.queued + queue.processing > 0;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  for (let n = 0; isIngesting; n++) {
    times.push(
      await timed(() => search(engine, { query: questions[n % questions.length] as string, mode: "fts" })),
    );
    // Leaves time for the other work of this thread.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ingested;
  return { times, seconds: (performance.now() - started) / 1000 };
}

async function search(engine: Engine, request: SearchRequest): Promise<void> {
  const response = await engine.fetch(
    new Request("http://engine/api/v1/search", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    }),
  );
  const { mode, warning } = await response.json();
  if (request.mode !== mode) throw new Error(`Searched by ${mode} instead of ${request.mode}: ${warning}`);
}

async function status(engine: Engine) {
  const response = await engine.fetch(new Request("http://engine/api/v1/status"));
  return await response.json();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

if (import.meta.main) await benchSearch();
