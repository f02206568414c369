import { isStopWord } from "../../../src/analysis/mod.ts";
import { seededRandom } from "../../support/random.ts";

/** Length of the vectors. */
export const DIMENSIONS = 384;

/** Number of distinct word vectors; must be a power of two. */
const WORDS = 2 ** 14;
const STOP_WORD_WEIGHT = 0.1;

let table: Float32Array | undefined;

/**
 * Returns the vector of a text: the normalized sum of random vectors of its words. Texts with common words are
 * similar, as with a model, and half a million of them take half a minute.
 */
export function textVector(text: string): Float32Array {
  const words = table ??= wordVectors();
  const sum = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const weight = isStopWord(word) ? STOP_WORD_WEIGHT : 1;
    const start = hash(word) * DIMENSIONS;
    for (let i = 0; i < DIMENSIONS; i++) sum[i]! += weight * words[start + i]!;
  }
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return sum.map((value) => value / length);
}

function wordVectors(): Float32Array {
  const { next } = seededRandom(7);
  return Float32Array.from({ length: WORDS * DIMENSIONS }, () => next() + next() + next() - 1.5);
}

function hash(word: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) value = Math.imul(value ^ word.charCodeAt(i), 0x01000193);
  return (value ^ value >>> 15) & (WORDS - 1);
}

/** A running embedding model for {@linkcode textVector}. */
export interface TextVectorServer extends AsyncDisposable {
  /** For `KB_EMBEDDINGS_URL`. */
  readonly url: string;
}

/** Name of the model of {@linkcode serveTextVectors}. */
export const VECTOR_MODEL = "bag-of-words";

/** Serves {@linkcode textVector} as an OpenAI-compatible embedding model. */
export function serveTextVectors(): TextVectorServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { input } = await request.json() as { input: string[] };
    const data = input.map((text, index) => ({
      index,
      object: "embedding",
      embedding: [...textVector(text)],
    }));
    return Response.json({ object: "list", model: VECTOR_MODEL, data });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
