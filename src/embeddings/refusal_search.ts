import { EmbeddingError } from "./errors.ts";

/** Parts of a text that are tried, from its beginning, where the model does not take all of it. */
const PARTS = [1 / 2, 1 / 4];
/** Characters up to which no text is too long for a model. */
const SHORT = 200;

/** Finds the texts of a refused request that are to blame, and gives the others their vectors. */
export class RefusalSearch {
  /** Whether a text was refused by itself. */
  foundRefusal = false;
  /** Texts of the largest request that was accepted. */
  largestAccepted = 0;

  /**
   * @param request Asks for the vectors of some of the texts.
   * @param probe Throws when the model takes no text at all.
   */
  constructor(
    readonly request: (batch: readonly string[]) => Promise<(Float32Array | null)[]>,
    readonly probe: () => Promise<void>,
  ) {}

  /** Halves a batch that was refused with `error`. */
  async narrow(batch: readonly string[], error: EmbeddingError): Promise<(Float32Array | null)[]> {
    const [text = ""] = batch;
    if (batch.length === 1) return [await this.#shorten(text, error)];
    const middle = Math.ceil(batch.length / 2);
    const first = await this.#try(batch.slice(0, middle));
    return [...first, ...await this.#try(batch.slice(middle))];
  }

  async #try(batch: readonly string[]): Promise<(Float32Array | null)[]> {
    try {
      const vectors = await this.request(batch);
      this.largestAccepted = Math.max(this.largestAccepted, batch.length);
      return vectors;
    } catch (error) {
      if (!isAboutText(error)) throw error;
      return await this.narrow(batch, error);
    }
  }

  async #shorten(text: string, error: EmbeddingError): Promise<Float32Array | null> {
    this.foundRefusal = true;
    for (const part of text.length > SHORT ? PARTS : []) {
      const beginning = text.slice(0, Math.ceil(text.length * part));
      try {
        const [vector = null] = await this.request([beginning]);
        return vector;
      } catch (shorter) {
        if (!isAboutText(shorter)) throw shorter;
      }
    }
    // A failure that passes must not cost the text its vector for good.
    if (error.code === "failed") await this.probe();
    return null;
  }
}

/** Whether a text, or the number of texts, may be to blame. */
export function isAboutText(error: unknown): error is EmbeddingError {
  return error instanceof EmbeddingError && (error.code === "refused" || error.code === "failed");
}
