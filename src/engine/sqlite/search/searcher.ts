import type { DatabaseSync } from "node:sqlite";
import { runWhileIdle } from "../../../async/mod.ts";
import type { SearchRequest, SearchResponse, SimilarNote, SimilarRequest } from "../../../contract/mod.ts";
import { areStemmersLoaded, loadStemmers, stopWordBits } from "../../../analysis/mod.ts";
import { withSpan } from "../../../telemetry/mod.ts";
import type { Bitset } from "../../../data_structures/mod.ts";
import {
  buildResponse,
  collapseIdentical,
  combineRankings,
  executedMode,
  limitPerDocument,
  othersToCompare,
  type Phrase,
  planSearch,
  planWithForms,
  planWithoutFrequentPhrases,
  planWithoutPhrases,
  preferNewer,
  type Ranking,
  type Rankings,
  type SearchPlan,
  selectPage,
  sortByRecency,
  type TermRanking,
  vectorLimit,
  type VectorRanker,
  type VectorRankingRequest,
  type VectorSearch,
  weighByRecency,
  WordForms,
} from "../../search/mod.ts";
import { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import { ChunkTexts } from "./chunk_texts.ts";
import { havePrefixes } from "./compounds.ts";
import { DocumentFilterCache } from "./document_filter_cache.ts";
import { DocumentTimes } from "./document_times.ts";
import { PassageReader } from "./passage_reader.ts";
import { phraseFilter } from "./phrase_filter.ts";
import { RankedChunkReader } from "./ranked_chunks.ts";
import { findSimilarNotes } from "./similar_notes.ts";
import { StoredDocuments } from "./stored_documents.ts";
import { snapshot, timestamp } from "../store/read_only.ts";
import { rankByTerms, type TermRankingOptions } from "./term_ranking.ts";

/** The chunks that filters, quoted phrases and exclusions allow. */
interface Candidates {
  /** Tests whether a chunk may be a result. Undefined: all may. */
  readonly isAllowed: ((chunk: number) => boolean) | undefined;
  /** Returns the allowed chunks for another thread. Undefined: all. */
  readonly toBitset: () => Bitset | undefined;
  /** Quoted phrases that occur nowhere, and that no chunk needs therefore. */
  readonly missingPhrases: readonly Phrase[];
  /** Quoted phrases and exclusions that were not checked, because their words are too frequent. */
  readonly frequentPhrases: readonly Phrase[];
}

/** Options of a search. */
export interface SearchOptions {
  /** Aborts the request to the embedding model, and a search that has not begun to rank. */
  readonly signal?: AbortSignal | undefined;
  /** Search by vectors. @default that of the searcher */
  readonly vectors?: VectorSearch | undefined;
  /** Throws if the search should end. Called between the steps of a search. */
  readonly checkpoint?: () => void;
}

/** A search that runs. */
interface SearchContext extends SearchOptions {
  /** Ranks by the vector of the query. Unset: the search is by terms only. */
  readonly ranker: VectorRanker | undefined;
}

/** A search that has been ranked by terms. */
interface BegunSearch {
  /** The plan, without quoted phrases that occur nowhere. */
  readonly plan: SearchPlan;
  readonly terms: TermRanking | undefined;
  /** Ranking by vectors, which other threads do meanwhile. */
  readonly pending: ReturnType<VectorRanker> | undefined;
}

/** Rankings of a search, with the reasons for a missing one. */
interface RankedSearch extends Rankings {
  readonly plan: SearchPlan;
  readonly warnings: readonly string[];
}

/** Whether a search by terms and vectors has no hits by terms. */
function isOnlySimilar({ plan, terms, vectors }: RankedSearch): boolean {
  return terms !== undefined && vectors !== undefined && plan.query.terms.length > 0 &&
    (terms.hits.count ?? terms.hits.ids.length) === 0;
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
  readonly #times: DocumentTimes;
  readonly #texts: ChunkTexts;
  readonly #documents: StoredDocuments;
  readonly #passages: PassageReader;
  readonly #chunks: RankedChunkReader;
  #forms = new WordForms([]);
  #formsVersion = "";

  /**
   * @param options.db A connection to the store, which is only read.
   * @param options.vectors Search by vectors. Unset: full text only.
   */
  constructor({ db, vectors }: { db: DatabaseSync; vectors?: VectorSearch | undefined }) {
    this.#db = db;
    this.#vectors = vectors;
    this.#reader = new PostingsReader(db);
    this.#scores = new ScoreAccumulator(this.#reader.memory);
    this.#filters = new DocumentFilterCache(db);
    this.#times = new DocumentTimes(db);
    this.#texts = new ChunkTexts(db);
    this.#documents = new StoredDocuments(db);
    const stored = { chunks: this.#reader.chunks, texts: this.#texts, documents: this.#documents };
    this.#passages = new PassageReader(stored);
    this.#chunks = new RankedChunkReader({ db, ...stored });
  }

  /** Loads the metadata of all chunks before the first search. */
  warmUp(): void {
    snapshot(this.#db, () => this.#reader.refresh());
  }

  /**
   * Loads the stemmers and the directories of the index before the first search, one after the other.
   *
   * @param isIdle Whether nothing else waits. Called after each step, when messages have been received.
   */
  prepare(isIdle: () => boolean): Promise<void> {
    return runWhileIdle([
      () => this.#loadStemmers(),
      // Reads the lists of stop words.
      () => stopWordBits(""),
      () => snapshot(this.#db, () => this.#reader.loadDirectories()),
    ], { isIdle });
  }

  /**
   * Searches.
   *
   * @param request A validated request.
   * @throws {KnowledgeBaseError} `invalid` for a mode without embeddings, conflicting modes, an invalid time,
   * or a cursor of another search.
   */
  async search(
    request: SearchRequest,
    { vectors = this.#vectors, ...options }: SearchOptions = {},
  ): Promise<SearchResponse> {
    const requested = planSearch(request, { hasVectors: vectors !== undefined });
    const context = { ...options, vectors, ranker: this.#embed(requested, { ...options, vectors }) };
    // Sends the request to the embedding model first.
    if (context.ranker) await Promise.resolve();
    options.signal?.throwIfAborted();
    let begun = this.#begin(requested, context);
    if (!begun) {
      await loadStemmers();
      begun = this.#begin(requested, context) as NonNullable<typeof begun>;
    }
    if ("response" in begun) return begun.response;
    const ranked = await this.#withVectors(begun, context);
    return snapshot(this.#db, () => {
      // Without the chunks that were deleted after ranking.
      this.#refresh();
      return this.#respond(ranked, context);
    });
  }

  /**
   * Returns up to three notes that say nearly the same as a new one, most similar first. Advisory: none while the
   * index is busy, and without their meaning if the embedding model does not respond at once.
   */
  similarNotes(
    request: SimilarRequest,
    { signal, vectors = this.#vectors }: SearchOptions = {},
  ): Promise<SimilarNote[]> {
    return findSimilarNotes(request, {
      db: this.#db,
      reader: this.#reader,
      scores: this.#scores,
      vectors,
      signal,
    });
  }

  /** Discards cached data if the database has changed. */
  #refresh(): void {
    this.#reader.refresh();
    const { version } = this.#reader;
    for (const each of [this.#texts, this.#documents, this.#passages]) each.refresh(version);
  }

  /** Loads the stemmers if the store has languages with derived terms. A store of English text has none. */
  async #loadStemmers(): Promise<void> {
    const { languages } = snapshot(this.#db, () => {
      this.#reader.refresh();
      return this.#reader;
    });
    if (languages.length > 0) await loadStemmers();
  }

  /** Returns the forms of words in some languages that the store has in this snapshot. */
  #wordForms(languages: readonly string[]): WordForms {
    const reader = this.#reader;
    const version = `${reader.derivedVersion} ${languages.join(" ")}`;
    if (version !== this.#formsVersion) {
      this.#forms = new WordForms(languages, {
        existing: (terms) => reader.existingDerivedTerms(terms),
        havePrefixes: (prefixes) => havePrefixes(prefixes, reader),
      });
      this.#formsVersion = version;
    }
    return this.#forms;
  }

  /**
   * Ranks a search by terms, and completes it on the same snapshot unless it needs vectors.
   *
   * @returns The search to continue with vectors, or the response. Undefined: the stemmers have to be loaded first.
   */
  #begin(
    requested: SearchPlan,
    context: SearchContext,
  ): BegunSearch | { readonly response: SearchResponse } | undefined {
    return snapshot(this.#db, () => {
      const begun = withSpan("search terms", {}, () => this.#rank(requested, context));
      if (!begun || begun.pending) return begun;
      context.checkpoint?.();
      return { response: this.#respond({ ...begun, warnings: [] }, context) };
    });
  }

  /** Ranks by terms, while other threads embed the query and scan the vectors. Undefined: see {@linkcode #begin}. */
  #rank(requested: SearchPlan, { ranker, checkpoint }: SearchContext): BegunSearch | undefined {
    return this.#withCandidates(
      requested,
      checkpoint,
      ({ isAllowed, toBitset, missingPhrases, frequentPhrases }) => {
        const { languages } = this.#reader;
        if (languages.length > 0 && !areStemmersLoaded()) return undefined;
        const checked = planWithoutFrequentPhrases(requested, frequentPhrases);
        const plan = planWithForms(planWithoutPhrases(checked, missingPhrases), this.#wordForms(languages));
        const others = Promise.withResolvers<readonly number[]>();
        const pending = ranker && this.#rankByVectors(plan, {
          ranker,
          allowed: toBitset(),
          others: others.promise,
        });
        const isByTerms = plan.mode !== "vector" || !pending;
        const terms = isByTerms ? this.#rankByTerms(plan, { isAllowed, checkpoint }) : undefined;
        const compared = pending && terms ? othersToCompare(terms.hits) : [];
        others.resolve(compared);
        return { plan, pending, terms: terms && { ...terms, compared } };
      },
    );
  }

  /** Waits for the ranking by vectors. If it fails, the search is by terms. */
  async #withVectors(
    { plan, terms, pending }: BegunSearch,
    { checkpoint }: SearchContext,
  ): Promise<RankedSearch> {
    const result = await pending;
    checkpoint?.();
    const warnings = result && "warning" in result ? [result.warning] : [];
    const vectors = result && "hits" in result ? result : undefined;
    if (vectors || terms) return { plan, terms, vectors, warnings };
    const fallback = this.#withCandidates(
      plan,
      checkpoint,
      ({ isAllowed }) => this.#rankByTerms(plan, { isAllowed, checkpoint }),
    );
    return { plan, terms: fallback, warnings };
  }

  /** Builds the response of a ranked search. Call it in a read transaction. */
  #respond(ranked: RankedSearch, { vectors }: SearchContext): SearchResponse {
    const { plan, terms, warnings } = ranked;
    const response = withSpan("search read", {}, () => {
      const ranking = combineRankings(ranked, { includeWeak: plan.request.include_weak });
      const distinct = collapseIdentical(this.#byTime(ranking, plan), this.#passages);
      const page = selectPage(this.#limit(distinct, plan), plan, {
        reorder: (ranked, count) =>
          plan.request.sort === "recent" ? ranked : preferNewer(ranked, this.#passages, { count }),
      });
      return buildResponse({
        plan,
        mode: executedMode(ranked),
        page,
        chunks: this.#chunks.read(page.hits, {
          withNeighbors: plan.request.detail === "context",
          copiesOf: distinct.copiesOf,
        }),
        corrections: terms?.corrections,
        unknownWords: terms?.unknownWords,
        warnings: [...plan.warnings, ...warnings, ...terms?.warnings ?? []],
        isOnlySimilar: page.total > 0 && isOnlySimilar(ranked),
        vectors: this.#vectorProgress(vectors),
        today: timestamp().slice(0, 10),
        idf: (stem) => this.#reader.idfOfTerm(stem),
      });
    });
    this.#scores.release(terms?.hits);
    return response;
  }

  /** Begins to embed the query if the plan uses vectors. A query without text, such as `""`, has no vector. */
  #embed({ mode, query }: SearchPlan, { vectors, signal }: SearchOptions): VectorRanker | undefined {
    return mode === "fts" || query.text === "" ? undefined : vectors?.embed(query.text, signal);
  }

  #rankByVectors(
    plan: SearchPlan,
    { ranker, ...request }: Pick<VectorRankingRequest, "allowed" | "others"> & {
      readonly ranker: VectorRanker;
    },
  ): ReturnType<VectorRanker> {
    const limit = vectorLimit(plan, this.#reader.chunks.statistics.chunks);
    const ranking = withSpan("search vectors", {}, () => ranker({ limit, ...request }));
    // Nothing awaits it if ranking by terms fails.
    ranking.catch(() => {});
    return ranking;
  }

  #rankByTerms(
    { query }: SearchPlan,
    options: Pick<TermRankingOptions, "isAllowed" | "checkpoint">,
  ): TermRanking {
    return rankByTerms(query, { ...options, texts: this.#texts, reader: this.#reader, scores: this.#scores });
  }

  /** Runs `rank` on a snapshot of the database with the chunks that a plan allows. */
  #withCandidates<T>(
    { filters, query }: SearchPlan,
    checkpoint: SearchOptions["checkpoint"],
    rank: (candidates: Candidates) => T,
  ): T {
    return snapshot(this.#db, () => {
      this.#refresh();
      const { chunks, version } = this.#reader;
      const isDocumentAllowed = this.#filters.get(filters, version);
      const isAllowedByFilters = isDocumentAllowed &&
        ((chunk: number) => isDocumentAllowed(chunks.documentOf(chunk)));
      const { matches, missing, unchecked } = phraseFilter(query, {
        texts: this.#texts,
        reader: this.#reader,
        isAllowed: isAllowedByFilters,
        checkpoint,
      });
      const isAllowed = isAllowedByFilters && matches
        ? (chunk: number) => isAllowedByFilters(chunk) && matches(chunk)
        : isAllowedByFilters ?? matches;
      return rank({
        isAllowed,
        // Vectors of hidden texts would take places of others.
        toBitset: () =>
          isAllowed || chunks.hasHidden
            ? chunks.bitset({ isDocumentAllowed, isAllowed: matches })
            : undefined,
        missingPhrases: missing,
        frequentPhrases: unchecked,
      });
    });
  }

  /** Sorts or weighs a ranking by the last change of the documents, if a plan requests it. */
  #byTime(ranking: Ranking, { request: { sort, recency = 0 } }: SearchPlan): Ranking {
    if (sort !== "recent" && recency === 0) return ranking;
    const { chunks, version } = this.#reader;
    this.#times.refresh(version);
    const changedAt = (chunk: number) => this.#times.of(chunks.documentOf(chunk));
    return sort === "recent"
      ? sortByRecency(ranking, { changedAt })
      : weighByRecency(ranking, { changedAt, recency, newest: this.#times.newest });
  }

  #limit(ranking: Ranking, { request }: SearchPlan): Ranking {
    if (request.per_document === undefined) return ranking;
    const documentOf = (chunk: number) => this.#reader.chunks.documentOf(chunk);
    return limitPerDocument(ranking, { limit: request.per_document, documentOf });
  }

  #vectorProgress(
    vectors: VectorSearch | undefined,
  ): { embedded: number; total: number } | undefined {
    if (!vectors) return undefined;
    const total = Math.max(0, this.#reader.chunks.statistics.chunks - vectors.refused());
    return { embedded: Math.min(vectors.embedded(), total), total };
  }
}
