import type { DatabaseSync } from "node:sqlite";
import type {
  ScoredChunk,
  VectorRanker,
  VectorRanking,
  VectorRankingRequest,
  VectorSearch,
  VectorsUnavailable,
} from "../../search/mod.ts";
import {
  type ReadVectors,
  readVectors,
  similaritiesOf,
  type TakenRanking,
  type VectorTotals,
} from "../vectors/mod.ts";
import type { PackedRanking, VectorQuestion, VectorReplied, VectorResult } from "./protocol.ts";

/** A question to the main thread. */
export interface PendingReply {
  readonly id: number;
  readonly reply: Promise<VectorReplied>;
}

/** Options of {@linkcode RemoteVectors}. */
export interface RemoteVectorsOptions {
  /** A connection to the store, which is only read. */
  readonly db: DatabaseSync;
  /** What the main thread has begun before the search. */
  readonly early?: {
    /** Text that is embedded. */
    readonly text: string;
    /** Ranking of all chunks. */
    readonly ranking?: PendingReply & { readonly limit: number } | undefined;
  } | undefined;
  /** Sends a query to the main thread, which begins to embed it. */
  readonly embed: (query: string) => void;
  /** Returns a ranking if it has arrived in shared memory. */
  readonly taken: (id: number) => TakenRanking | undefined;
  /** Waits for a ranking in shared memory. Undefined: the thread may run another search until the reply arrives. */
  readonly wait: (id: number) => TakenRanking | undefined;
  /** Vectors that the last search of the thread was compared with. */
  readonly last: LastVectors;
  /** Sends a question to the main thread. */
  readonly ask: (question: VectorQuestion) => PendingReply;
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
      return this.#rank(request, isSame ? begun : undefined);
    };
  }

  async embedNote(text: string): Promise<VectorRanker | undefined> {
    const question: VectorQuestion = { type: "embedNote", text };
    const isEmbedded = await this.#resultOf(this.#options.ask(question).reply) !== "none";
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

  /** @param early Question with the same request. Undefined: asks it. */
  async #rank(
    { others, ...request }: VectorRankingRequest,
    early?: PendingReply,
  ): Promise<VectorRanking | VectorsUnavailable> {
    const { db, last, ask, taken, wait } = this.#options;
    const { id, reply } = early ?? ask({ type: "rank", request });
    // Awaited after the ranking by words.
    reply.catch(() => {});
    const chunks = await others;
    let [shared, read] = [taken(id), undefined as ReadVectors | undefined];
    if (!shared) {
      // While the vectors are scanned.
      if (last.set && chunks.length > 0) read = readVectors(db, chunks, last.set);
      shared = wait(id);
    }
    const result = shared
      ? this.#unpack(shared)
      : await this.#resultOf(reply) as PackedRanking | VectorsUnavailable;
    if ("warning" in result) return result;
    const { ids, scores, ...ranking } = result;
    const { query } = ranking;
    if (query) last.set = { setId: query.setId, dimensions: query.vector.length };
    const hits: ScoredChunk[] = Array.from(ids, (id, at) => ({ id, score: scores[at]! }));
    return { ...ranking, hits, others: similaritiesOf(db, chunks, query, hits, read) };
  }

  #unpack({ totals, ...ranking }: TakenRanking): Omit<TakenRanking, "totals"> {
    this.#totals = totals;
    return ranking;
  }
}
