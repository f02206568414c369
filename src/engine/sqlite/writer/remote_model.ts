import {
  documentBatch,
  documentThreads,
  EmbeddingError,
  type EmbeddingModel,
  type Vectors,
} from "../../../embeddings/mod.ts";
import type { EmbeddedTexts, TextsToEmbed } from "./protocol.ts";

/** Documents for the built-in model, which the main thread runs: queries and documents share its weights. */
export class RemoteModel implements Omit<EmbeddingModel, "embedQuery"> {
  readonly #send: (texts: TextsToEmbed) => void;
  readonly #pending = new Map<number, PromiseWithResolvers<Vectors>>();
  #lastId = 0;
  readonly batchSize = documentBatch;
  readonly concurrency = documentThreads();

  /** @param send Sends texts to the main thread, which calls {@linkcode RemoteModel.settle} with their vectors. */
  constructor(send: (texts: TextsToEmbed) => void) {
    this.#send = send;
  }

  /** Embeds documents. The main thread continues with those that are aborted. */
  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Vectors> {
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const request = Promise.withResolvers<Vectors>();
    this.#pending.set(id, request);
    const onAbort = () => request.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    try {
      this.#send({ type: "embed", id, texts });
      return await request.promise;
    } finally {
      this.#pending.delete(id);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async probe(signal?: AbortSignal): Promise<void> {
    await this.embedDocuments(["test"], signal);
  }

  /** Completes the request that the main thread has processed. */
  settle({ id, vectors, error }: EmbeddedTexts): void {
    const request = this.#pending.get(id);
    if (vectors) request?.resolve([...vectors]);
    else request?.reject(new EmbeddingError(error.code, error.message));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
