import type { DatabaseSync } from "node:sqlite";
import type {
  ScoredChunk,
  VectorRanker,
  VectorRankingRequest,
  VectorSearch,
  VectorsUnavailable,
} from "../../search/mod.ts";
import { similaritiesOf } from "../vectors/mod.ts";
import type { PackedRanking, VectorQuestion, VectorReplied, VectorResult, VectorTotals } from "./protocol.ts";

/** Options of {@linkcode RemoteVectors}. */
export interface RemoteVectorsOptions {
  /** A connection to the store, which is only read. */
  readonly db: DatabaseSync;
  /** Sends a query to the main thread, which begins to embed it. */
  readonly embed: (query: string) => void;
  /** Tells the main thread that this one only waits for a ranking, so that it can run another search. */
  readonly waits: () => void;
  /** Sends a question to the main thread. */
  readonly ask: (question: VectorQuestion) => Promise<VectorReplied>;
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
    this.#options.embed(text);
    return this.#ranker;
  }

  async embedNote(text: string): Promise<VectorRanker | undefined> {
    return await this.#ask({ type: "embedNote", text }) === "none" ? undefined : this.#ranker;
  }

  embedded(): number {
    return this.#totals.embedded;
  }

  refused(): number {
    return this.#totals.refused;
  }

  async #ask(question: VectorQuestion): Promise<VectorResult> {
    const { result, totals } = await this.#options.ask(question);
    this.#totals = totals;
    return result;
  }

  readonly #ranker: VectorRanker = async ({ others, ...request }: VectorRankingRequest) => {
    const ranked = this.#ask({ type: "rank", request }) as Promise<PackedRanking | VectorsUnavailable>;
    void Promise.resolve(others).then(this.#options.waits);
    const result = await ranked;
    if ("warning" in result) return result;
    const { ids, scores, ...ranking } = result;
    const hits: ScoredChunk[] = Array.from(ids, (id, at) => ({ id, score: scores[at]! }));
    return { ...ranking, hits, others: similaritiesOf(this.#options.db, await others, ranking.query, hits) };
  };
}
