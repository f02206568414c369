import type { DatabaseSync } from "node:sqlite";
import type {
  ScoredChunk,
  VectorRanker,
  VectorRanking,
  VectorRankingRequest,
  VectorSearch,
  VectorsUnavailable,
} from "../../search/mod.ts";
import { type ReadVectors, readVectors, similaritiesOf } from "../vectors/mod.ts";
import type { PackedRanking, VectorQuestion, VectorReplied, VectorResult, VectorTotals } from "./protocol.ts";

/** Options of {@linkcode RemoteVectors}. */
export interface RemoteVectorsOptions {
  /** A connection to the store, which is only read. */
  readonly db: DatabaseSync;
  /** What the main thread has begun before the search. */
  readonly early?: {
    /** Text that is embedded. */
    readonly text: string;
    /** Ranking of all chunks. */
    readonly ranking?: { readonly limit: number; readonly reply: Promise<VectorReplied> } | undefined;
  } | undefined;
  /** Sends a query to the main thread, which begins to embed it. */
  readonly embed: (query: string) => void;
  /**
   * Tells the main thread that this one only waits for a ranking, so that it can run another search. Returns false if the
   * ranking has been sent.
   */
  readonly waits: () => boolean;
  /** Vectors that the last search of the thread was compared with. */
  readonly last: LastVectors;
  /** Sends a question to the main thread. */
  readonly ask: (question: VectorQuestion) => Promise<VectorReplied>;
}

/** The stored vectors that the next search is probably compared with, too. */
export interface LastVectors {
  set?: Pick<ReadVectors, "setId" | "dimensions">;
}

/** Search by vectors for one search of a thread: the main thread has the embedding model and the vectors. */
export class RemoteVectors implements VectorSearch {
  #totals: VectorTotals;
  readonly #options: RemoteVectorsOptions;

  constructor(totals: VectorTotals, options: RemoteVectorsOptions) {
    this.#totals = totals;
    this.#options = options;
  }

  embed(text: string): VectorRanker {
    const { early } = this.#options;
    const isEarly = early?.text === text;
    if (!isEarly) this.#options.embed(text);
    const begun = isEarly ? early.ranking : undefined;
    return (request) => {
      const isSame = request.allowed === undefined && request.limit === begun?.limit;
      return this.#rank(request, isSame ? begun.reply : undefined);
    };
  }

  async embedNote(text: string): Promise<VectorRanker | undefined> {
    const question: VectorQuestion = { type: "embedNote", text };
    const isEmbedded = await this.#resultOf(this.#options.ask(question)) !== "none";
    return isEmbedded ? (request) => this.#rank(request) : undefined;
  }

  embedded(): number {
    return this.#totals.embedded;
  }

  refused(): number {
    return this.#totals.refused;
  }

  async #resultOf(reply: Promise<VectorReplied>): Promise<VectorResult> {
    const { result, totals } = await reply;
    this.#totals = totals;
    return result;
  }

  /** @param early Reply to the same request. Undefined: asks for it. */
  async #rank(
    { others, ...request }: VectorRankingRequest,
    early?: Promise<VectorReplied>,
  ): Promise<VectorRanking | VectorsUnavailable> {
    const reply = early ?? this.#options.ask({ type: "rank", request });
    const ranked = this.#resultOf(reply) as Promise<PackedRanking | VectorsUnavailable>;
    const reading = Promise.resolve(others).then((chunks) => this.#readEarly(chunks));
    // Awaited after the ranking.
    reading.catch(() => {});
    const result = await ranked;
    if ("warning" in result) return result;
    const { ids, scores, ...ranking } = result;
    const { db, last } = this.#options;
    const { query } = ranking;
    if (query) last.set = { setId: query.setId, dimensions: query.vector.length };
    const hits: ScoredChunk[] = Array.from(ids, (id, at) => ({ id, score: scores[at]! }));
    return { ...ranking, hits, others: similaritiesOf(db, await others, query, hits, await reading) };
  }

  /** Reads the vectors of chunks while this thread waits for the ranking. */
  #readEarly(chunks: readonly number[]): ReadVectors | undefined {
    const { db, last: { set }, waits } = this.#options;
    return waits() && set && chunks.length > 0 ? readVectors(db, chunks, set) : undefined;
  }
}
