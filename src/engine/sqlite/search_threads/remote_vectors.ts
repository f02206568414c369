import type { VectorRanker, VectorRanking, VectorSearch, VectorsUnavailable } from "../../search/mod.ts";
import type { VectorQuestion, VectorReplied, VectorResult, VectorTotals } from "./protocol.ts";

/** Search by vectors for one search of a thread: the main thread has the embedding model and the vectors. */
export class RemoteVectors implements VectorSearch {
  #totals: VectorTotals;
  readonly #send: (question: VectorQuestion) => Promise<VectorReplied>;

  /** @param send Sends a question to the main thread. */
  constructor(totals: VectorTotals, send: (question: VectorQuestion) => Promise<VectorReplied>) {
    this.#totals = totals;
    this.#send = send;
  }

  async embed(text: string): Promise<VectorRanker | VectorsUnavailable> {
    const result = await this.#ask({ type: "embed", text });
    return typeof result === "object" && "warning" in result ? result : this.#rank;
  }

  async embedNote(text: string): Promise<VectorRanker | undefined> {
    return await this.#ask({ type: "embedNote", text }) === "none" ? undefined : this.#rank;
  }

  embedded(): number {
    return this.#totals.embedded;
  }

  refused(): number {
    return this.#totals.refused;
  }

  async #ask(question: VectorQuestion): Promise<VectorResult> {
    const { result, totals } = await this.#send(question);
    this.#totals = totals;
    return result;
  }

  readonly #rank: VectorRanker = async (request) =>
    await this.#ask({ type: "rank", request }) as VectorRanking | VectorsUnavailable;
}
