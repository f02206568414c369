import { EmbeddingError } from "./errors.ts";
import type { Vectors } from "./model.ts";

/** Fractions of a rejected text that are tried, from its start. */
const PREFIX_FRACTIONS = [1 / 2, 1 / 4];
/** Texts up to this length, in characters, are not too long for any model. */
const SHORT_CHARS = 200;

/** Requests of a {@linkcode BatchBisection}. */
export interface BisectionRequests {
  /** Requests the vectors of some texts. */
  embed(batch: readonly string[]): Promise<Vectors>;
  /** Throws if the model accepts no text at all. */
  probe(): Promise<void>;
}

/** Bisects a rejected batch to find the texts that the model rejects, and embeds the others. */
export class BatchBisection {
  readonly #requests: BisectionRequests;
  #rejectedText = false;
  #maxAccepted = 0;

  constructor(requests: BisectionRequests) {
    this.#requests = requests;
  }

  /** Whether a single text was rejected. If not, the batch was too large. */
  get rejectedText(): boolean {
    return this.#rejectedText;
  }

  /** Number of texts in the largest accepted request. */
  get maxAccepted(): number {
    return this.#maxAccepted;
  }

  /** Embeds a batch that was rejected with `error`, in two halves. */
  async bisect(batch: readonly string[], error: EmbeddingError): Promise<Vectors> {
    const [text = ""] = batch;
    if (batch.length === 1) return [await this.#embedPrefix(text, error)];
    const middle = Math.ceil(batch.length / 2);
    const first = await this.#embed(batch.slice(0, middle));
    return [...first, ...await this.#embed(batch.slice(middle))];
  }

  async #embed(batch: readonly string[]): Promise<Vectors> {
    try {
      const vectors = await this.#requests.embed(batch);
      this.#maxAccepted = Math.max(this.#maxAccepted, batch.length);
      return vectors;
    } catch (error) {
      if (!mayBeTextError(error)) throw error;
      return await this.bisect(batch, error);
    }
  }

  /** Embeds the start of a text that was rejected by itself. */
  async #embedPrefix(text: string, error: EmbeddingError): Promise<Float32Array | null> {
    this.#rejectedText = true;
    for (const fraction of text.length > SHORT_CHARS ? PREFIX_FRACTIONS : []) {
      const prefix = text.slice(0, Math.ceil(text.length * fraction));
      try {
        const [vector = null] = await this.#requests.embed([prefix]);
        return vector;
      } catch (prefixError) {
        if (!mayBeTextError(prefixError)) throw prefixError;
      }
    }
    // A temporary failure of the model must not leave the text without a vector forever.
    if (error.code === "failed") await this.#requests.probe();
    return null;
  }
}

/** Whether a text, or the number of texts, may have caused an error. */
export function mayBeTextError(error: unknown): error is EmbeddingError {
  return error instanceof EmbeddingError && (error.code === "refused" || error.code === "failed");
}
