import type { DatabaseSync } from "node:sqlite";
import { runWhileIdle } from "../../../async/mod.ts";
import type { SearchRequest, SearchResponse, SimilarNote, SimilarRequest } from "../../../contract/mod.ts";
import { loadStemmers } from "../../../analysis/mod.ts";
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
  /** Languages with derived terms, whose stemmers have been loaded. */
  readonly languages: readonly string[];
}

/** Rankings of a search, with the reasons for a missing one. */
interface RankedSearch extends Rankings {
  /** The plan, without quoted phrases that occur nowhere. */
  readonly plan: SearchPlan;
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
      () => this.#loadLanguages(),
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
    const languages = await this.#loadLanguages();
    const requested = planSearch(request, { hasVectors: vectors !== undefined });
    const ranked = await this.#rank(requested, { ...options, vectors, languages });
    const { plan } = ranked;
    options.checkpoint?.();
    const ranking = combineRankings(ranked, { includeWeak: plan.request.include_weak });
    const response = withSpan("search read", {}, () =>
      snapshot(this.#db, () => {
        // Without the chunks that were deleted after ranking.
        this.#refresh();
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
          corrections: ranked.terms?.corrections,
          warnings: [...plan.warnings, ...ranked.warnings, ...ranked.terms?.warnings ?? []],
          vectors: this.#vectorProgress(vectors),
          today: timestamp().slice(0, 10),
          idf: (stem) => this.#reader.idfOfTerm(stem),
        });
      }));
    this.#scores.release(ranked.terms?.hits);
    return response;
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

  /** Returns the languages with derived terms, and loads their stemmers. A store of English text has none. */
  async #loadLanguages(): Promise<readonly string[]> {
    const languages = snapshot(this.#db, () => {
      this.#reader.refresh();
      return this.#reader.languages;
    });
    if (languages.length > 0) await loadStemmers();
    return languages;
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

  /** Ranks by terms, by vectors, or by both: by terms while other threads embed the query and scan the vectors. */
  async #rank(requested: SearchPlan, context: SearchContext): Promise<RankedSearch> {
    const { languages, signal, checkpoint } = context;
    const rankByTerms = (plan: SearchPlan, isAllowed: Candidates["isAllowed"]) =>
      this.#rankByTerms(plan, { isAllowed, ...(checkpoint && { checkpoint }) });
    const ranker = this.#embed(requested, context);
    // Sends the request to the embedding model first.
    await Promise.resolve();
    signal?.throwIfAborted();
    const others = Promise.withResolvers<readonly number[]>();
    const { plan, terms, ranking } = withSpan(
      "search terms",
      {},
      () =>
        this.#withCandidates(
          requested,
          checkpoint,
          ({ isAllowed, toBitset, missingPhrases, frequentPhrases }) => {
            const checked = planWithoutFrequentPhrases(requested, frequentPhrases);
            const plan = planWithForms(
              planWithoutPhrases(checked, missingPhrases),
              this.#wordForms(languages),
            );
            const ranking = ranker && this.#rankByVectors(plan, {
              ranker,
              allowed: toBitset(),
              others: others.promise,
            });
            return {
              plan,
              ranking,
              terms: plan.mode === "vector" ? undefined : rankByTerms(plan, isAllowed),
            };
          },
        ),
    );
    others.resolve(terms && ranking ? othersToCompare(terms.hits) : []);
    const result = await ranking;
    checkpoint?.();
    const warnings = result && "warning" in result ? [result.warning] : [];
    const vectors = result && "hits" in result ? result : undefined;
    if (vectors || terms) return { plan, terms, vectors, warnings };
    // The vectors failed: fall back to terms.
    const fallback = this.#withCandidates(plan, checkpoint, ({ isAllowed }) => rankByTerms(plan, isAllowed));
    return { plan, terms: fallback, warnings };
  }

  /** Begins to embed the query if the plan uses vectors. A query without text, such as `""`, has no vector. */
  #embed({ mode, query }: SearchPlan, { vectors, signal }: SearchContext): VectorRanker | undefined {
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
    this.#reader.refresh();
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
