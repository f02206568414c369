import * as z from "zod";
import { EmbeddingError } from "./errors.ts";

/**
 * Response of `POST /v1/embeddings`. A vector is an array of numbers (some servers write NaN as null), or
 * base64 of little-endian float32. `index` is the position of its text; without it, vectors are in the order
 * of the texts.
 */
const EmbeddingsResponse = z.object({
  data: z.array(z.object({
    index: z.int().nonnegative().optional(),
    // The items are checked when they are converted to floats: zod would be slow for thousands of them.
    embedding: z.union([z.custom<unknown[]>(Array.isArray), z.string()]),
  })),
});

/** Expected content of a response. */
export interface ExpectedVectors {
  /** Number of texts in the request. */
  readonly count: number;
  /** Dimensions of the vectors. Undefined: any, but the same for all. */
  readonly dimensions?: number | undefined;
}

/**
 * Parses the JSON of a response.
 *
 * @returns The vector of each text, scaled to length 1, or `null` for a vector without direction (zero or not
 * finite).
 * @throws {EmbeddingError} `unavailable` for an invalid response, `wrong_dimensions`.
 */
export function parseResponse(
  text: string,
  { count, dimensions }: ExpectedVectors,
): (Float32Array | null)[] {
  const parsed = EmbeddingsResponse.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new EmbeddingError(
      "unavailable",
      "The response of the embedding model is not a list of embeddings: check KB_EMBEDDINGS_URL",
      { cause: parsed.error },
    );
  }
  const { data } = parsed.data;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, { index = position, embedding }] of data.entries()) {
    if (index < count) {
      vectors[index] = typeof embedding === "string" ? fromBase64(embedding) : fromNumbers(embedding);
    }
  }
  if (data.length !== count || vectors.includes(undefined)) {
    throw new EmbeddingError(
      "unavailable",
      `The embedding model must return one vector for each of ${count} texts, got ${data.length} vectors`,
    );
  }
  const complete = vectors as Float32Array[];
  assertDimensions(complete, dimensions);
  return complete.map(normalize);
}

function assertDimensions(vectors: readonly Float32Array[], configured: number | undefined): void {
  const expected = configured ?? vectors[0]?.length ?? 0;
  const other = vectors.find((vector) => vector.length !== expected || vector.length === 0);
  if (!other) return;
  throw new EmbeddingError(
    "wrong_dimensions",
    configured === undefined
      ? `The embedding model must return vectors of one length, got ${expected} and ${other.length} dimensions`
      : `KB_EMBEDDINGS_DIMENSIONS is ${configured}, but the embedding model returns ${other.length} dimensions: ` +
        "unset it, or set it to dimensions that the model supports",
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fromNumbers(values: readonly unknown[]): Float32Array {
  return Float32Array.from(values, (value) => typeof value === "number" ? value : NaN);
}

function fromBase64(text: string): Float32Array {
  try {
    const bytes = Uint8Array.fromBase64(text);
    return new Float32Array(bytes.buffer, 0, bytes.byteLength / 4);
  } catch (cause) {
    throw new EmbeddingError(
      "unavailable",
      "The embedding model returned a vector that is not base64 of 32-bit floats",
      { cause },
    );
  }
}

/** Scales a vector to length 1, in place. Returns `null` if that is impossible. */
function normalize(vector: Float32Array): Float32Array | null {
  // In double precision: squares of float32 can overflow float32.
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) return null;
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}
