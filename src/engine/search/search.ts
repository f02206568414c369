import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest as SearchInput, SearchResponse, SearchResult } from "../../contract/mod.ts";
import type { z } from "zod";
import { SearchRequest } from "../../contract/mod.ts";
import { decodeSearchCursor, encodeCursor } from "../store/cursor.ts";
import { run } from "../store/sql.ts";
import { fit } from "./budget.ts";
import { SearchError } from "./errors.ts";
import { type DocumentFilter, Filters, filtersApplied } from "./filters.ts";
import { PostingsReader } from "./postings.ts";
import { parseQuery, type Query } from "./query.ts";
import { quotationFilter } from "./quotations.ts";
import { rank } from "./rank.ts";
import { hybridRanking, type Ranking, rankingOf, withLimit } from "./ranking.ts";
import { readResults } from "./results.ts";
import { type Hits, Scores } from "./scores.ts";
import type { Scored } from "./select.ts";
import { snippetsFor } from "./snippet.ts";
import { correct, type Correction, misspelled, wordOf } from "./spelling.ts";
import { preferTypedWords } from "./typed_words.ts";

/** A request as its schema leaves it. */
type Request = z.output<typeof SearchRequest>;

/** Search by meaning: what the vectors of chunks are asked through. */
export interface VectorSearch {
  /**
   * Starts on a query.
   *
   * @returns A function that ranks chunks by their vectors; undefined and why: no vectors can be had now.
   */
  embed(query: string, signal?: AbortSignal): Promise<VectorRanker | { readonly warning: string }>;
  /** Chunks that have a vector. */
  embedded(): number;
}

/** Ranks chunks by one query's vector. */
export type VectorRanker = (
  top: number,
  allowed: Uint8Array | undefined,
) => Promise<{ readonly hits: readonly Scored[]; readonly passing: number } | { readonly warning: string }>;

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
  readonly #scores: Scores;
  readonly #filters: Filters;

  /**
   * @param options.db A connection to the store; only read from.
   * @param options.vectors Unset: full text only.
   */
  constructor({ db, vectors }: { db: DatabaseSync; vectors?: VectorSearch | undefined }) {
    this.#db = db;
    this.#vectors = vectors;
    this.#reader = new PostingsReader(db);
    this.#scores = new Scores(this.#reader.chunks);
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
   * @throws {SearchError} `invalid` for vectors where there is no embedding model, modes that exclude each other, a time that is
   * none.
   * @throws {StoreError} `invalid` for a cursor of another search.
   */
  async search(input: SearchInput, signal?: AbortSignal): Promise<SearchResponse> {
    const request: Request = { ...input, top: input.top ?? 10, detail: input.detail ?? "chunk" };
    const warnings: string[] = [];
    const wanted = this.#modeOf(request, warnings);
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
      const most = this.#reader.chunks.size.chunks + VECTOR_REACH;
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

    return snapshot(
      this.#db,
      () => this.#answer({ request, query, identity, offset, ranking, mode, words, warnings }),
    );
  }

  /** What is asked for, as far as this engine can do it at all. */
  #modeOf({ mode, fts_only, vec_only }: Request, warnings: string[]): "hybrid" | "fts" | "vector" {
    if (fts_only && vec_only) throw new SearchError("fts_only and vec_only must not both be true: use mode");
    const only = fts_only ? "fts" : vec_only ? "vector" : undefined;
    if (mode !== undefined && only !== undefined && mode !== only) {
      throw new SearchError(`mode must be ${only}, or ${only}_only left out, got ${JSON.stringify(mode)}`);
    }
    const wanted = mode ?? only ?? (this.#vectors ? "hybrid" : "fts");
    if (wanted === "fts" || this.#vectors) return wanted;
    if (wanted === "vector") {
      throw new SearchError(
        `${
          vec_only ? "vec_only" : 'mode "vector"'
        } needs embeddings, and this engine has none: leave it out to search ` +
          "full text, or set KB_EMBEDDINGS_URL",
      );
    }
    warnings.push(
      "Searched full text only: this engine has no embedding model (KB_EMBEDDINGS_URL sets one).",
    );
    return "fts";
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
      const postings = this.#reader.word(term);
      this.#scores.add(postings, weight * this.#reader.weightOf(postings.ids.length));
    }
    const hits = this.#scores.take(passes);
    preferTypedWords(this.#db, query, hits);
    return { hits, corrections };
  }

  #answer({ request, query, identity, offset, ranking, mode, words, warnings }: {
    request: Request;
    query: Query;
    identity: string;
    offset: number;
    ranking: Ranking;
    mode: string;
    words: Found | undefined;
    warnings: string[];
  }): SearchResponse {
    const { top, detail, max_tokens } = request;
    const { chunks } = this.#reader.chunks.size;
    if (ranking.total === 0 && query.phrases.length > 0) {
      warnings.push(
        "Nothing has the quoted words like that: leave out the quotation marks to find them apart.",
      );
    }
    const page = ranking.top(offset + top).slice(offset);
    const corrections = words?.corrections ?? [];
    const sought = [...query.units, ...corrections.map(({ term }) => ({ words: [term], weight: 1 }))];
    const snippet = snippetsFor(sought, (stem) => this.#reader.weightOf(this.#reader.word(stem).ids.length));
    const results = readResults(this.#db, page, { detail, snippet });
    const texts = words ? textsOf(results) : [];
    const said = results.length === 0 ? [] : [
      ...corrections.map(({ word, term }) => ({ word, used: wordOf(term, texts) })),
      ...misspelled(query.units, texts),
    ];
    const fitting = max_tokens === undefined ? undefined : fit(results, max_tokens, snippet);
    const answered = fitting?.results ?? results;
    // What is gone since it was ranked counts as answered, what did not fit does not.
    const omitted = results[answered.length];
    const next = offset + (omitted ? page.findIndex(({ id }) => id === omitted.chunk_id) : page.length);
    const more = next < ranking.total && page.length > 0;
    return {
      mode,
      results: answered,
      total: ranking.total,
      next_cursor: more ? encodeCursor([identity, next, mode]) : null,
      ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
      ...(said.length > 0 ? { corrections: said } : {}),
      ...(fitting && (fitting.omitted > 0 || fitting.textCut)
        ? { cut: { omitted: fitting.omitted, text_cut: fitting.textCut } }
        : {}),
      filters_applied: {
        ...filtersApplied(request),
        ...(query.phrases.length > 0 ? { phrases: query.phrases.map(({ text }) => text) } : {}),
        ...(query.excluded.length > 0 ? { excluded: query.excluded.map(({ text }) => text) } : {}),
      },
      ...(this.#vectors
        ? { vectors: { embedded: Math.min(this.#vectors.embedded(), chunks), total: chunks } }
        : {}),
    };
  }
}

/** All that words of a result may stand in. */
function textsOf(results: readonly SearchResult[]): string[] {
  return results.flatMap(({ text, title, heading_path }) => [text, title ?? "", ...heading_path ?? []]);
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

/** A ranking of which only the beginning is there. */
function listed(hits: readonly Scored[], total: number): Ranking {
  return { total, top: (count) => hits.slice(0, count), ids: () => hits.map(({ id }) => id) };
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
