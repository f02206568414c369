import type { EngineClient } from "../client/mod.ts";
import type { SearchRequest, SearchResult } from "../contract/mod.ts";
import { EvalError } from "./errors.ts";
import type { EvalSet } from "./folder.ts";
import { ingest, type SetIds } from "./ingest.ts";
import { mean, score, type Scores } from "./metrics.ts";
import { type KeysOf, retrieve } from "./retrieve.ts";
import { waitForVectors } from "./vectors.ts";

/** Searches that are made before any is measured: they start threads and read what is read once. */
const WARM_UP = 32;

/** Settings of {@linkcode evaluate}. */
export interface EvaluateOptions {
  /** An engine: an empty one for a set with documents, else the one to be measured. */
  readonly client: EngineClient;
  /** How to search. Unset: as the engine does when it is not told. */
  readonly mode?: SearchRequest["mode"];
  /** Told what is being done, in words. Default: nobody. */
  readonly onProgress?: (text: string) => void;
  /** Waits. Default: a timer. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** How one query fared. */
export interface QueryResult {
  readonly id: string;
  readonly text: string;
  readonly scores: Scores;
}

/** The outcome of an evaluation. */
export interface Evaluation {
  /** Name of the set. */
  readonly set: string;
  /** How the searches ran, as the engine says it. */
  readonly mode: string;
  /** Name of the embedding model; undefined: none was used. */
  readonly model: string | undefined;
  /** Documents that were sent; undefined: those of the knowledge base that was measured. */
  readonly documents: number | undefined;
  /** Queries that were measured, and those left out because no document is relevant to them. */
  readonly queries: number;
  readonly skipped: number;
  /** Means over the queries. */
  readonly scores: Scores;
  /** Milliseconds from asking for a page of 50 results to having it; nearest-rank percentiles over the queries. */
  readonly latency: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** The first warning that an answer came with, and how many answers had one. */
  readonly warnings: { readonly count: number; readonly first: string | undefined };
  /** Every query, the worst by nDCG first. */
  readonly perQuery: readonly QueryResult[];
}

/**
 * Measures how well an engine finds, through its public API alone.
 *
 * With documents in the set, they are ingested first and waited for, vectors included. Without, the keys of the judgements are
 * compared with each result's source path, id and title. Then every query is asked for its best 100 documents, one after
 * the other; the first queries are asked once more before, unmeasured.
 *
 * @throws {EvalError} When documents cannot be ingested, vectors do not come, or no query finds a judged document.
 * @throws {EngineError} When the engine cannot be called.
 */
export async function evaluate(set: EvalSet, options: EvaluateOptions): Promise<Evaluation> {
  const { client, mode, onProgress = () => {}, pause = timer } = options;
  let stored: { ids: SetIds; sent: number } | undefined;
  if (set.documents) {
    onProgress(`${set.name}: ingesting documents`);
    stored = await ingest(client, set.documents());
  }
  if (mode !== "fts") {
    await waitForVectors(client, {
      pause,
      onProgress: everyTenth((embedded, total) => onProgress(`${set.name}: ${embedded} of ${total} vectors`)),
    });
  }
  onProgress(`${set.name}: asking ${set.queries.length} queries`);
  const keysOf = stored ? keysByDocument(stored.ids) : keysByName(judgedKeys(set));
  for (const { text } of set.queries.slice(0, WARM_UP)) await retrieve(client, text, mode, keysOf);
  const perQuery: QueryResult[] = [];
  const times: number[] = [];
  const modes = new Set<string>();
  const warnings: string[] = [];
  let judgedFound = false;
  for (const { id, text, judged } of set.queries) {
    const { ranking, ms, mode: ran, warning } = await retrieve(client, text, mode, keysOf);
    judgedFound ||= ranking.some((key) => judged.has(key));
    perQuery.push({ id, text, scores: score(ranking, judged) });
    times.push(ms);
    if (ran !== undefined) modes.add(ran);
    if (warning !== undefined) warnings.push(warning);
  }
  if (!stored && !judgedFound) {
    throw new EvalError(
      `${set.name}: no query found a judged document: the documents in qrels.tsv must be named by source path, id or title ` +
        "as this knowledge base has them (or give a docs.jsonl beside it)",
    );
  }
  const ran = [...modes].sort().join("+") || mode || "fts";
  return {
    set: set.name,
    mode: ran,
    model: ran === "fts" ? undefined : modelName((await client.status()).model),
    documents: stored?.sent,
    queries: set.queries.length,
    skipped: set.skipped,
    scores: mean(perQuery.map(({ scores }) => scores)),
    latency: percentiles(times),
    warnings: { count: warnings.length, first: warnings[0] },
    perQuery: perQuery.sort((a, b) => a.scores["ndcg@10"] - b.scores["ndcg@10"]),
  };
}

function keysByDocument(ids: SetIds): KeysOf {
  return ({ document_id }) => ids.get(String(document_id)) ?? [];
}

/** Of a document's names the first one that has been judged, in any query. */
function keysByName(judged: ReadonlySet<string>): KeysOf {
  return ({ source_path, document_id, title }: SearchResult) => {
    const names = [source_path, String(document_id), title].filter((name) => typeof name === "string");
    return [names.find((name) => judged.has(name)) ?? `#${document_id}`];
  };
}

function judgedKeys({ queries }: EvalSet): Set<string> {
  return new Set(queries.flatMap(({ judged }) => [...judged.keys()]));
}

/** The embedding model's name; an engine may say more of it than that. */
function modelName(model: unknown): string | undefined {
  const name = typeof model === "object" && model !== null && "name" in model ? model.name : model;
  return typeof name === "string" ? name : undefined;
}

function percentiles(times: readonly number[]): Evaluation["latency"] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Passes on what is a tenth further than what was passed on before. */
function everyTenth(report: (done: number, total: number) => void): (done: number, total: number) => void {
  let told = -1;
  return (done, total) => {
    const tenth = Math.floor((done / total) * 10);
    if (tenth > told) report(done, total);
    told = Math.max(told, tenth);
  };
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
