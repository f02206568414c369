import * as z from "zod";
import { EmbeddingError } from "./errors.ts";

/**
 * Answer of `POST /v1/embeddings`. Vectors are arrays of numbers (in which some servers write NaN as null), or base64 of
 * little-endian float32, which some send unasked. `index` says which text one belongs to; without it their order does.
 */
const Answer = z.object({
  data: z.array(z.object({
    index: z.int().nonnegative().optional(),
    // Not item by item: there are thousands, and each is looked at when it becomes a float.
    embedding: z.union([z.custom<unknown[]>(Array.isArray), z.string()]),
  })),
});

/**
 * Reads an answer.
 *
 * @param count How many texts were sent.
 * @param dimensions Length that the vectors must have; undefined: any, the same for all.
 * @returns For each text in its order the vector, brought to length 1; null where it has no direction (zero, not finite).
 * @throws {EmbeddingError} `unavailable` when the answer is not one, `wrong_dimensions`.
 */
export function readAnswer(text: string, count: number, dimensions?: number): (Float32Array | null)[] {
  const parsed = Answer.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new EmbeddingError(
      "unavailable",
      "The embedding model answered something that is no list of embeddings: check KB_EMBEDDINGS_URL",
      { cause: parsed.error },
    );
  }
  const { data } = parsed.data;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, { index = position, embedding }] of data.entries()) {
    if (index < count) {
      vectors[index] = typeof embedding === "string" ? fromBase64(embedding) : numbers(embedding);
    }
  }
  if (data.length !== count || vectors.includes(undefined)) {
    throw new EmbeddingError(
      "unavailable",
      `The embedding model must answer one vector for each of ${count} texts, got ${data.length} vectors`,
    );
  }
  const found = vectors as Float32Array[];
  const wanted = dimensions ?? found[0]?.length ?? 0;
  const other = found.find((vector) => vector.length !== wanted || vector.length === 0);
  if (other) {
    throw new EmbeddingError(
      "wrong_dimensions",
      dimensions === undefined
        ? `The embedding model must answer vectors of one length, got ${wanted} and ${other.length} dimensions`
        : `KB_EMBEDDINGS_DIMENSIONS is ${dimensions}, but the embedding model answers vectors of ${other.length} ` +
          "dimensions: unset it, or set it to what the model can give",
    );
  }
  return found.map(unitLength);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numbers(values: readonly unknown[]): Float32Array {
  return Float32Array.from(values, (value) => typeof value === "number" ? value : NaN);
}

function fromBase64(text: string): Float32Array {
  try {
    const bytes = Uint8Array.fromBase64(text);
    return new Float32Array(bytes.buffer, 0, bytes.byteLength / 4);
  } catch (cause) {
    throw new EmbeddingError(
      "unavailable",
      "The embedding model answered a vector that is no base64 of floats",
      {
        cause,
      },
    );
  }
}

/** The vector with length 1, in place; null when it has none. */
function unitLength(vector: Float32Array): Float32Array | null {
  // In double precision: the squares of float32 reach beyond float32.
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) return null;
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}
