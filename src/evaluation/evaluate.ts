import type { EngineClient } from "../client/mod.ts";
import type { SearchRequest, SearchResult } from "../contract/mod.ts";
import { EvaluationError } from "./errors.ts";
import type { TestCollection } from "./test_collection.ts";
import { type CollectionIds, ingest, type IngestedCollection, waitForVectors } from "./ingest.ts";
import { languageOf, type LanguageResult, scoresByLanguage } from "./languages.ts";
import { meanScores, scoreRanking, type Scores } from "./metrics.ts";
import { type KeysOf, runQuery } from "./run_query.ts";

/** Number of unmeasured queries at the start, which start threads and fill caches. */
const WARM_UP_QUERIES = 32;

type Mode = SearchRequest["mode"];

/** Options of {@linkcode evaluate}. */
export interface EvaluateOptions {
  /**
   * Client of the engine: an empty engine for a collection with documents, otherwise the engine to evaluate.
   */
  readonly client: EngineClient;
  /** Search modes. Default: all three for an engine with vectors, otherwise the engine's own. */
  readonly modes?: readonly NonNullable<SearchRequest["mode"]>[];
  /** Called with descriptions of the progress. */
  readonly onProgress?: (text: string) => void;
  /** Waits for some milliseconds. Default: a timer. */
  readonly delay?: (ms: number) => Promise<void>;
}

/** Scores of one query. */
export interface QueryResult {
  readonly id: string;
  readonly text: string;
  /** Language group ({@linkcode languageOf}); undefined: unknown. */
  readonly language: string | undefined;
  readonly scores: Scores;
}

/** Result of {@linkcode evaluate} for one search mode. */
export interface Evaluation {
  /** Name of the test collection. */
  readonly set: string;
  /** Search mode that the engine reported. */
  readonly mode: string;
  /** Name of the embedding model; undefined: the search used no vectors. */
  readonly model: string | undefined;
  /** Number of documents ingested; undefined: an existing knowledge base was evaluated. */
  readonly documents: number | undefined;
  /** Number of documents that were skipped, because they have neither a title nor a text. */
  readonly emptyDocuments: number;
  /** Number of evaluated queries, and of queries skipped because they have no relevant document. */
  readonly queries: number;
  readonly skipped: number;
  /** Means over the queries. */
  readonly scores: Scores;
  /** Scores by language; empty when neither queries nor documents declare one. */
  readonly languages: readonly LanguageResult[];
  /** Latency of a page of 50 results in milliseconds: nearest-rank percentiles over the queries. */
  readonly latency: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Number of searches with a warning, and the first warning. */
  readonly warnings: { readonly count: number; readonly first: string | undefined };
  /** Results by query, lowest nDCG first. */
  readonly perQuery: readonly QueryResult[];
}

/**
 * Evaluates the search quality of an engine through its public API, in one or more search modes.
 *
 * Ingests the documents of the test collection first, vectors included. Without documents, the keys of the
 * judgements are compared with the source path, id and title of each result. Then runs, for each mode, warm-up
 * searches and the queries one after the other, each to a depth of 100 documents.
 *
 * @throws {EvaluationError} When documents cannot be ingested, embedding stops, or no query finds a judged
 * document.
 * @throws {EngineError} When a request to the engine fails.
 */
export async function evaluate(collection: TestCollection, options: EvaluateOptions): Promise<Evaluation[]> {
  const { client, onProgress = () => {}, delay = timer } = options;
  let stored: IngestedCollection | undefined;
  if (collection.documents) {
    onProgress(`${collection.name}: ingesting documents`);
    stored = await ingest(client, collection.documents());
  }
  const modes: readonly Mode[] = options.modes ?? await availableModes(client);
  if (modes.some((mode) => mode !== "fts")) {
    await waitForVectors(client, {
      delay,
      onProgress: everyTenth((embedded, total) =>
        onProgress(`${collection.name}: ${embedded} of ${total} vectors`)
      ),
    });
  }
  const evaluations: Evaluation[] = [];
  for (const mode of modes) {
    onProgress(`${collection.name}: running ${collection.queries.length} queries${mode ? `, ${mode}` : ""}`);
    evaluations.push(await evaluateMode(collection, { client, mode, stored }));
  }
  return evaluations;
}

/** Returns the modes to compare; undefined: the engine's default. */
async function availableModes(client: EngineClient): Promise<readonly Mode[]> {
  const { vectors } = await client.status();
  return vectors == null ? [undefined] : ["fts", "vector", "hybrid"];
}

async function evaluateMode(
  collection: TestCollection,
  { client, mode, stored }: { client: EngineClient; mode: Mode; stored: IngestedCollection | undefined },
): Promise<Evaluation> {
  const keysOf = stored ? keysByDocument(stored.ids) : keysByName(judgedKeys(collection));
  for (const { text } of collection.queries.slice(0, WARM_UP_QUERIES)) {
    await runQuery(client, text, mode, keysOf);
  }
  const perQuery: QueryResult[] = [];
  const times: number[] = [];
  const reportedModes = new Set<string>();
  const warnings: string[] = [];
  let hasJudgedResult = false;
  for (const query of collection.queries) {
    const { id, text, judgements } = query;
    const { ranking, ms, mode: queryMode, warning } = await runQuery(client, text, mode, keysOf);
    hasJudgedResult ||= ranking.some((key) => judgements.has(key));
    const language = languageOf(query, stored?.languages ?? new Map());
    perQuery.push({ id, text, language, scores: scoreRanking(ranking, judgements) });
    times.push(ms);
    if (queryMode !== undefined) reportedModes.add(queryMode);
    if (warning !== undefined) warnings.push(warning);
  }
  if (!stored && !hasJudgedResult) {
    throw new EvaluationError(
      `${collection.name}: no query found a judged document: qrels.tsv must name documents by their source path, id or title in ` +
        "this knowledge base (or add a docs.jsonl)",
    );
  }
  const executedMode = [...reportedModes].sort().join("+") || mode || "fts";
  return {
    set: collection.name,
    mode: executedMode,
    model: executedMode === "fts" ? undefined : modelName((await client.status()).model),
    documents: stored?.sent,
    emptyDocuments: stored?.empty ?? 0,
    queries: collection.queries.length,
    skipped: collection.skipped,
    scores: meanScores(perQuery.map(({ scores }) => scores)),
    languages: scoresByLanguage(perQuery),
    latency: percentiles(times),
    warnings: { count: warnings.length, first: warnings[0] },
    perQuery: perQuery.sort((a, b) => a.scores["ndcg@10"] - b.scores["ndcg@10"]),
  };
}

function keysByDocument(ids: CollectionIds): KeysOf {
  return ({ document_id }) => ids.get(String(document_id)) ?? [];
}

/** Uses the first of a document's names that occurs in any judgement. */
function keysByName(judgements: ReadonlySet<string>): KeysOf {
  return ({ source_path, document_id, title }: SearchResult) => {
    const names = [source_path, String(document_id), title].filter((name) => typeof name === "string");
    return [names.find((name) => judgements.has(name)) ?? `#${document_id}`];
  };
}

function judgedKeys({ queries }: TestCollection): Set<string> {
  return new Set(queries.flatMap(({ judgements }) => [...judgements.keys()]));
}

/** Returns the name of the embedding model, which engines report as text or in an object. */
function modelName(model: unknown): string | undefined {
  const name = typeof model === "object" && model !== null && "name" in model ? model.name : model;
  return typeof name === "string" ? name : undefined;
}

function percentiles(times: readonly number[]): Evaluation["latency"] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Limits progress reports to one for every tenth. */
function everyTenth(report: (done: number, total: number) => void): (done: number, total: number) => void {
  let reported = -1;
  return (done, total) => {
    const tenth = Math.floor((done / total) * 10);
    if (tenth > reported) report(done, total);
    reported = Math.max(reported, tenth);
  };
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
