import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../../contract/mod.ts";
import { loadStemmers } from "../../../analysis/mod.ts";
import type { Bitset } from "../../../data_structures/mod.ts";
import {
  buildResponse,
  combineRankings,
  executedMode,
  limitPerDocument,
  othersToCompare,
  planSearch,
  type Ranking,
  type Rankings,
  type SearchPlan,
  selectPage,
  type TermRanking,
  vectorLimit,
  type VectorRanker,
  type VectorSearch,
  type VectorsUnavailable,
  withForms,
} from "../../search/mod.ts";
import { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import { run } from "../store/mod.ts";
import { DocumentFilterCache } from "./document_filter_cache.ts";
import { phraseFilter } from "./phrase_filter.ts";
import { readRankedChunks } from "./ranked_chunks.ts";
import { rankByTerms } from "./term_ranking.ts";

/** The chunks that filters, quoted phrases and exclusions allow. */
interface Candidates {
  /** Tests whether a chunk may be a result. */
  readonly isAllowed: (chunk: number) => boolean;
  /** Returns the allowed chunks for another thread. Undefined: all. */
  readonly toBitset: () => Bitset | undefined;
}

/** Rankings of a search, with the reasons for a missing one. */
interface RankedSearch extends Rankings {
  readonly warnings: readonly string[];
}

/**
 * Searches the store: by terms, by vectors, or by both.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { Searcher } from "./searcher.ts";
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
  readonly #filters: DocumentFilterCache;

  /**
   * @param options.db A connection to the store, which is only read.
   * @param options.vectors Search by vectors. Unset: full text only.
   */
  constructor({ db, vectors }: { db: DatabaseSync; vectors?: VectorSearch | undefined }) {
    this.#db = db;
    this.#vectors = vectors;
    this.#reader = new PostingsReader(db);
    this.#scores = new ScoreAccumulator(this.#reader.chunks);
    this.#filters = new DocumentFilterCache(db);
  }

  /** Loads the metadata of all chunks before the first search. */
  warmUp(): void {
    snapshot(this.#db, () => this.#reader.refresh());
  }

  /**
   * Searches.
   *
   * @param request A validated request.
   * @param signal Aborts the request to the embedding model, and a search that has not begun to rank.
   * @throws {KnowledgeBaseError} `invalid` for a mode without embeddings, conflicting modes, an invalid time,
   * or a cursor of another search.
   */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    const plan = await this.#withForms(planSearch(request, { hasVectors: this.#vectors !== undefined }));
    const ranked = await this.#rank(plan, signal);
    const ranking = this.#limit(combineRankings(ranked), plan);
    return snapshot(this.#db, () => {
      const page = selectPage(ranking, plan);
      return buildResponse({
        plan,
        mode: executedMode(ranked),
        page,
        chunks: readRankedChunks(this.#db, page.hits, { withNeighbors: plan.request.detail === "context" }),
        corrections: ranked.terms?.corrections,
        warnings: [...plan.warnings, ...ranked.warnings],
        vectors: this.#vectorProgress(),
        idf: (stem) => this.#reader.idf(this.#reader.term(stem)),
      });
    });
  }

  /** Adds the stems of the store's languages to a query. A store of English text needs none. */
  async #withForms(plan: SearchPlan): Promise<SearchPlan> {
    const languages = snapshot(this.#db, () => {
      this.#reader.refresh();
      return this.#reader.languages;
    });
    if (languages.length === 0) return plan;
    await loadStemmers();
    return { ...plan, query: withForms(plan.query, languages) };
  }

  /** Ranks by terms, by vectors, or by both: by terms while another thread embeds the query. */
  async #rank(plan: SearchPlan, signal: AbortSignal | undefined): Promise<RankedSearch> {
    const [ranker, { terms, allowed }] = await Promise.all([
      this.#embed(plan, signal),
      // Waits for the request to the embedding model to be sent.
      Promise.resolve().then(() => {
        signal?.throwIfAborted();
        return this.#withCandidates(plan, ({ isAllowed, toBitset }) => ({
          terms: plan.mode === "vector" ? undefined : this.#rankByTerms(plan, isAllowed),
          allowed: plan.mode === "fts" ? undefined : toBitset(),
        }));
      }),
    ]);
    const result = typeof ranker === "function"
      ? await ranker({
        limit: vectorLimit(plan, this.#reader.chunks.statistics.chunks),
        allowed,
        others: terms ? othersToCompare(terms.hits) : [],
      })
      : ranker;
    const warnings = result && "warning" in result ? [result.warning] : [];
    const vectors = result && "hits" in result ? result : undefined;
    if (vectors || terms) return { terms, vectors, warnings };
    // The vectors failed: fall back to terms.
    const fallback = this.#withCandidates(plan, ({ isAllowed }) => this.#rankByTerms(plan, isAllowed));
    return { terms: fallback, warnings };
  }

  /** Embeds the query if the plan uses vectors. A query without text, such as `""`, has no vector. */
  async #embed(
    { mode, query }: SearchPlan,
    signal: AbortSignal | undefined,
  ): Promise<VectorRanker | VectorsUnavailable | undefined> {
    if (mode === "fts" || query.text === "") return undefined;
    return await this.#vectors?.embed(query.text, signal);
  }

  #rankByTerms({ query }: SearchPlan, isAllowed: (chunk: number) => boolean): TermRanking {
    return rankByTerms(query, { db: this.#db, reader: this.#reader, scores: this.#scores, isAllowed });
  }

  /** Runs `rank` on a snapshot of the database with the chunks that a plan allows. */
  #withCandidates<T>({ filters, query }: SearchPlan, rank: (candidates: Candidates) => T): T {
    return snapshot(this.#db, () => {
      this.#reader.refresh();
      const { chunks, version } = this.#reader;
      const isDocumentAllowed = this.#filters.get(filters, version);
      const matchesPhrases = phraseFilter(this.#db, query, this.#reader);
      const isAllowed = isDocumentAllowed
        ? (chunk: number) => isDocumentAllowed(chunks.documentOf(chunk)) && (matchesPhrases?.(chunk) ?? true)
        : matchesPhrases;
      return rank({
        isAllowed: isAllowed ?? (() => true),
        toBitset: () => isAllowed && chunks.bitset(isAllowed),
      });
    });
  }

  #limit(ranking: Ranking, { request }: SearchPlan): Ranking {
    if (request.per_document === undefined) return ranking;
    const documentOf = (chunk: number) => this.#reader.chunks.documentOf(chunk);
    return limitPerDocument(ranking, { limit: request.per_document, documentOf });
  }

  #vectorProgress(): { embedded: number; total: number } | undefined {
    if (!this.#vectors) return undefined;
    const total = Math.max(0, this.#reader.chunks.statistics.chunks - this.#vectors.refused());
    return { embedded: Math.min(this.#vectors.embedded(), total), total };
  }
}

/** Runs `read` on a snapshot of the database. */
function snapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  run(db, "BEGIN");
  try {
    return read();
  } finally {
    run(db, "COMMIT");
  }
}
