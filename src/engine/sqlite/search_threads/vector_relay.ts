import { serializeError } from "../../../async/mod.ts";
import type { VectorRanker, VectorSearch } from "../../search/mod.ts";
import type { VectorNotice, VectorQuestion, VectorReply, VectorResult, VectorTotals } from "./protocol.ts";

/** Returns the current totals. */
export function totalsOf(vectors: VectorSearch): VectorTotals {
  return { embedded: vectors.embedded(), refused: vectors.refused() };
}

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

  /** Returns the reply to a question. Never rejects. */
  async reply({ id, question }: VectorNotice): Promise<VectorReply> {
    try {
      return { id, result: await this.#resultOf(question), totals: totalsOf(this.#vectors) };
    } catch (error) {
      return { id, error: serializeError(error) };
    }
  }

  async #resultOf(question: VectorQuestion): Promise<VectorResult> {
    switch (question.type) {
      case "embed": {
        const ranker = await this.#vectors.embed(question.text, this.#signal);
        if (typeof ranker !== "function") return ranker;
        this.#ranker = ranker;
        return "ready";
      }
      case "embedNote":
        this.#ranker = await this.#vectors.embedNote(question.text, this.#signal);
        return this.#ranker ? "ready" : "none";
      case "rank":
        if (!this.#ranker) throw new Error("A text must be embedded before chunks are ranked");
        return await this.#ranker(question.request);
    }
  }
}
