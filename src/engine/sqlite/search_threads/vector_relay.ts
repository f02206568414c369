import { serializeError } from "../../../async/mod.ts";
import type { SearchRequest } from "../../../contract/mod.ts";
import {
  type EarlyRanking,
  earlyRanking,
  type SharedRankingTarget,
  type VectorRanker,
  type VectorRanking,
  type VectorSearch,
} from "../../search/mod.ts";
import { totalsOf } from "../vectors/mod.ts";
import type { PackedRanking, VectorQuestion, VectorReply, VectorResult } from "./protocol.ts";

/** Replies on the main thread to what one search asks about vectors. */
export class VectorRelay {
  readonly #vectors: VectorSearch;
  readonly #signal: AbortSignal;
  #ranker: VectorRanker | undefined;

  /** @param signal Ends the search. */
  constructor(vectors: VectorSearch, signal: AbortSignal) {
    this.#vectors = vectors;
    this.#signal = signal;
  }

  /** Begins to embed the query of a search before its thread plans it. Returns what the search will ask for. */
  begin(request: SearchRequest): EarlyRanking | undefined {
    const early = earlyRanking(request);
    if (early) this.embed(early.text);
    return early;
  }

  /** Begins to embed a query, for the next question. */
  embed(text: string): void {
    this.#ranker = this.#vectors.embed(text, this.#signal);
  }

  /**
   * Returns the reply to a question. Never rejects.
   *
   * @param memory Where the thread of the search waits for a ranking.
   */
  async reply(id: number, question: VectorQuestion, memory: SharedArrayBuffer): Promise<VectorReply> {
    try {
      const result = await this.#resultOf(question, { id, memory });
      return { id, result, totals: totalsOf(this.#vectors) };
    } catch (error) {
      return { id, error: serializeError(error) };
    }
  }

  async #resultOf(question: VectorQuestion, shared: SharedRankingTarget): Promise<VectorResult> {
    if (question.type === "embedNote") {
      this.#ranker = await this.#vectors.embedNote(question.text, this.#signal);
      return this.#ranker ? "ready" : "none";
    }
    if (!this.#ranker) throw new Error("A text must be embedded before chunks are ranked");
    // The thread computes the similarity of others.
    const ranking = await this.#ranker({ ...question.request, others: [], shared });
    return "warning" in ranking ? ranking : packed(ranking);
  }
}

function packed({ hits, spread, total, query }: VectorRanking): PackedRanking {
  const ids = Uint32Array.from(hits, ({ id }) => id);
  return { ids, scores: Float64Array.from(hits, ({ score }) => score), spread, total, query };
}
