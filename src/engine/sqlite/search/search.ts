import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type { SearchRequest, SearchResponse } from "../../../contract/mod.ts";
import { decodeSearchCursor } from "../../knowledge_base/mod.ts";
import { run } from "../store/mod.ts";
import { writeAnswer } from "./answer.ts";
import { type DocumentFilter, Filters, filtersApplied } from "./filters.ts";
import {
  type Hits,
  hybridRanking,
  listed,
  modeOf,
  parseQuery,
  type Query,
  rankingOf,
  type VectorRanker,
  type VectorSearch,
  withLimit,
} from "../../search/mod.ts";
import { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import { quotationFilter } from "./quotations.ts";
import { rank } from "./rank.ts";
import { correct, type Correction } from "./spelling.ts";
import { preferTypedWords } from "./typed_words.ts";

/** A request as its schema leaves it. */
type Request = z.output<typeof SearchRequest>;

/** Chunks of the vectors' ranking that are fused with the other. */
const VECTOR_DEPTH = 100;
/** Chunks that pages of a search by vectors alone reach, where fewer than all of a document's are wanted. */
const VECTOR_REACH = 1000;

/** What a search by words yields, beside the ranking. */
interface Found {
  readonly hits: Hits;
  readonly corrections: readonly Correction[];
}

/**
 * Searches the store: by words, by vectors, or by both.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { Searcher } from "./search.ts";
 * import { MIGRATIONS } from "../store/migrations.ts";
 * import { assertEquals } from "@std/assert";
 * const db = new DatabaseSync(":memory:");
 * for (const { sql } of MIGRATIONS) db.exec(sql);
 * const { mode, total } = await new Searcher({ db }).search({ query: "anything at all" });
 * assertEquals([mode, total], ["fts", 0]);
 * db.close();
 * ```
 */
export class Searcher {
  readonly #db: DatabaseSync;
  readonly #vectors: VectorSearch | undefined;
  readonly #reader: PostingsReader;
  readonly #scores: ScoreAccumulator;
  readonly #filters: Filters;

  /**
   * @param options.db A connection to the store; only read from.
   * @param options.vectors Unset: full text only.
   */
  constructor({ db, vectors }: { db: DatabaseSync; vectors?: VectorSearch | undefined }) {
    this.#db = db;
    this.#vectors = vectors;
    this.#reader = new PostingsReader(db);
    this.#scores = new ScoreAccumulator(this.#reader.chunks);
    this.#filters = new Filters(db);
  }

  /** Reads now what the first search would have to wait for. */
  warmUp(): void {
    snapshot(this.#db, () => this.#reader.refresh());
  }

  /**
   * Searches.
   *
   * @param input A `SearchRequest` of the contract; it has been checked.
   * @param signal Ends the wait for the embedding model.
   * @throws {KnowledgeBaseError} `invalid` for vectors where there is no embedding model, modes that exclude each other, a time that is
   * none.
   * @throws {KnowledgeBaseError} `invalid` for a cursor of another search.
   */
  async search(input: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    const request: Request = { ...input, top: input.top ?? 10, detail: input.detail ?? "chunk" };
    const warnings: string[] = [];
    const { wanted, warning } = modeOf(request, this.#vectors !== undefined);
    if (warning !== undefined) warnings.push(warning);
    const identity = identityOf(request, wanted);
    const [offset, before] = request.cursor === undefined
      ? [0, wanted]
      : decodeSearchCursor(request.cursor, identity);
    // Pages are of one ranking, though the model may be back.
    const isByWords = before === "fts";
    if (isByWords && wanted !== "fts") warnings.push("Searched full text only, as for the page before.");
    const query = parseQuery(request.query);

    // What has nothing to read has no meaning either.
    const isMeant = !isByWords && query.meaning !== "";
    const ranker = isMeant ? await this.#ranker(query, warnings, signal) : undefined;
    // Both rankings are made at the same time: the vectors are scanned by another thread.
    const started = this.#begin(request, query, (passes, allowed) => {
      const reach = request.per_document === undefined ? 0 : VECTOR_REACH;
      // Not far beyond what there is, with room for what comes meanwhile: a cursor may say any number.
      const most = this.#reader.chunks.statistics.chunks + VECTOR_REACH;
      const depth = wanted === "hybrid"
        ? VECTOR_DEPTH
        : Math.min(Math.max(offset + request.top, reach), most);
      const byVector = ranker?.(depth, allowed());
      return { byVector, words: wanted === "vector" && ranker ? undefined : this.#byWords(query, passes) };
    });
    const ranked = await started.byVector;
    const vector = ranked && "hits" in ranked ? ranked : undefined;
    if (ranked && "warning" in ranked) warnings.push(ranked.warning);
    // By words after all, when the vectors failed.
    const words = started.words ??
      (vector ? undefined : this.#begin(request, query, (passes) => this.#byWords(query, passes)));
    const mode = vector === undefined ? "fts" : words ? "hybrid" : "vector";
    let ranking = vector === undefined
      ? rankingOf((words as Found).hits)
      : words
      ? hybridRanking(words.hits, vector.hits)
      : listed(vector.hits, vector.passing);
    if (request.per_document !== undefined) {
      ranking = withLimit(ranking, request.per_document, (chunk) => this.#reader.chunks.documentOf(chunk));
    }

    const corrections = words?.corrections;
    return snapshot(this.#db, () => ({
      ...writeAnswer(this.#db, this.#reader, {
        request,
        query,
        identity,
        offset,
        ranking,
        mode,
        corrections,
        warnings,
      }),
      ...(this.#vectors ? { vectors: this.#progress(this.#vectors) } : {}),
    }));
  }

  #progress(vectors: VectorSearch): { embedded: number; total: number } {
    const total = this.#reader.chunks.statistics.chunks;
    return { embedded: Math.min(vectors.embedded(), total), total };
  }

  async #ranker(query: Query, warnings: string[], signal?: AbortSignal): Promise<VectorRanker | undefined> {
    const ranker = await this.#vectors?.embed(query.meaning, signal);
    if (typeof ranker === "function") return ranker;
    if (ranker) warnings.push(ranker.warning);
    return undefined;
  }

  /**
   * Begins a search, on one state of the database.
   *
   * @param search Told which chunks may be found: by a function, and for another thread by a bitset (undefined: all).
   */
  #begin<T>(
    request: Request,
    query: Query,
    search: (passes: (chunk: number) => boolean, allowed: () => Uint8Array | undefined) => T,
  ): T {
    return snapshot(this.#db, () => {
      this.#reader.refresh();
      const { chunks, version } = this.#reader;
      const filter = this.#filters.of(request, version);
      const quoted = quotationFilter(this.#db, query, this.#reader);
      const passes = passing(filter, quoted, (chunk) => chunks.documentOf(chunk));
      return search(passes, () => filter || quoted ? chunks.bitset(passes) : undefined);
    });
  }

  /** The chunks that have words of the query; and if it has words that are nowhere, those that have the likeliest others. */
  #byWords(query: Query, passes: (chunk: number) => boolean): Found {
    const words = rank(query.units, this.#reader, this.#scores);
    const corrections = correct(words, this.#scores.count, this.#reader);
    for (const { term, weight } of corrections) {
      const postings = this.#reader.term(term);
      this.#scores.add(postings, weight * this.#reader.idf(postings));
    }
    const hits = this.#scores.drain(passes);
    preferTypedWords(this.#db, query, hits);
    return { hits, corrections };
  }
}

/** Whether a chunk is let through by both. */
function passing(
  filter: DocumentFilter | undefined,
  quoted: ((chunk: number) => boolean) | undefined,
  documentOf: (chunk: number) => number,
): (chunk: number) => boolean {
  if (!filter) return quoted ?? (() => true);
  return (chunk) => filter(documentOf(chunk)) && (quoted?.(chunk) ?? true);
}

/** What tells a search from others, so that a cursor fits one only. */
function identityOf({ query, per_document, ...request }: Request, mode: string): string {
  const filters = filtersApplied({ query, ...request });
  return createHash("sha256").update(JSON.stringify([query, mode, per_document, filters])).digest("base64url")
    .slice(0, 12);
}

/** Runs `read` on one state of the database, whatever is written meanwhile. */
function snapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  run(db, "BEGIN");
  try {
    return read();
  } finally {
    run(db, "COMMIT");
  }
}
