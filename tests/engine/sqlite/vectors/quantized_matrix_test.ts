import { assert, assertEquals } from "@std/assert";
import { TopK } from "../../../../src/data_structures/top_k.ts";
import { MAX_DIMENSIONS, QuantizedMatrix } from "../../../../src/engine/sqlite/vectors/quantized_matrix.ts";
import { seededRandom } from "../../../support/random.ts";
import { dotProduct } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { bitset, vectorMaker } from "./vector_store.ts";

const MIB = 2 ** 20;

/** Returns the bound of every vector, by id. */
function bounds(matrix: QuantizedMatrix, query: Float32Array, allowed?: Uint8Array): Map<number, number> {
  const candidates = new TopK(Math.max(1, matrix.size));
  matrix.scan(query, allowed, candidates);
  const { ids, scores } = candidates.ranked();
  return new Map([...ids].map((id, i) => [id, scores[i]!]));
}

Deno.test("a bound is never below the exact product, and exceeds it by at most the rounding error", () => {
  for (const dimensions of [1, 3, 16, 17, 384, 1000]) {
    const next = vectorMaker(dimensions, dimensions);
    const { int } = seededRandom(dimensions);
    const matrix = new QuantizedMatrix(dimensions, 64 * MIB);
    const vectors = Array.from({ length: 3000 }, (_, i) => {
      // Of various lengths, some with an outlier.
      const vector = next().map((each) => each * [1, 1, 1e-20, 1e10][i % 4]!);
      if (int(5) === 0) vector[int(dimensions)]! *= 20;
      return vector;
    });
    for (const [i, vector] of vectors.entries()) assert(matrix.set(i + 1, vector));
    const query = next();
    for (const [id, bound] of bounds(matrix, query)) {
      const vector = vectors[id - 1]!;
      const exact = dotProduct(query, vector);
      const size = Math.sqrt(dotProduct(query, query) * dotProduct(vector, vector));
      const slack = bound - exact;
      assert(slack >= 0, `${dimensions} dimensions, id ${id}: ${bound} is below ${exact}`);
      // A quantization step is 1/127 of the largest number. Each dimension is off by at most half a step; the
      // bound adds as much.
      assert(
        slack <= size * (Math.sqrt(dimensions) / 127 + 1e-3),
        `${dimensions}, id ${id}: ${bound}, ${exact}`,
      );
    }
  }
});

Deno.test("sums of extreme values fit 32 bits at the maximum dimensions", () => {
  const matrix = new QuantizedMatrix(MAX_DIMENSIONS, 4 * MIB);
  const ones = new Float32Array(MAX_DIMENSIONS).fill(1 / 128);
  matrix.set(1, ones);
  matrix.set(2, ones.map((each) => -each));
  matrix.set(3, ones.map((each, i) => i % 2 ? each : -each));
  const actual = bounds(matrix, ones);
  for (const [id, exact] of [[1, 1], [2, -1], [3, 0]] as const) {
    const slack = actual.get(id)! - exact;
    assert(slack >= 0 && slack < 0.001, `${id}: ${actual.get(id)}`);
  }
});

Deno.test("subnormal numbers and zero vectors have a bound", () => {
  const matrix = new QuantizedMatrix(3, MIB);
  matrix.set(1, new Float32Array([0, 0, 0]));
  matrix.set(2, new Float32Array([1e-44, -1e-44, 0]));
  for (const query of [new Float32Array([1, 0, 0]), new Float32Array([0, 0, 0])]) {
    for (const [, bound] of bounds(matrix, query)) assert(bound >= 0 && bound < 1e-35, String(bound));
  }
});

Deno.test("a vector with NaN is never a candidate", () => {
  const matrix = new QuantizedMatrix(3, MIB);
  matrix.set(1, new Float32Array([NaN, 1, 1]));
  matrix.set(2, new Float32Array([1, 0, NaN]));
  matrix.set(3, new Float32Array([1, 0, 0]));
  assertEquals([...bounds(matrix, new Float32Array([1, 0, 0])).keys()], [3]);
});

Deno.test("rows outside of the filter are skipped, and so are ids beyond its end", () => {
  const matrix = new QuantizedMatrix(3, MIB);
  for (const id of [1, 7, 8, 9, 5000]) matrix.set(id, new Float32Array([1, 0, 0]));
  const query = new Float32Array([1, 0, 0]);
  assertEquals([...bounds(matrix, query, bitset([7, 9, 300], 64)).keys()], [7, 9]);
  assertEquals(matrix.scan(query, bitset([7, 9], 64), new TopK(1)), 2);
  assertEquals(matrix.scan(query, new Uint8Array(), new TopK(1)), 0);
  assertEquals(matrix.scan(query, undefined, new TopK(1)), 5);
});

Deno.test("bounds below a threshold are not offered, but their rows are counted", () => {
  const matrix = new QuantizedMatrix(3, MIB);
  for (const [id, value] of [[1, 0.25], [2, 0.5], [3, 0.75]] as const) {
    matrix.set(id, new Float32Array([value, 0, 0]));
  }
  const candidates = new TopK(3);
  assertEquals(matrix.scan(new Float32Array([1, 0, 0]), undefined, candidates, 0.4), 3);
  assertEquals([...candidates.ranked().ids], [3, 2]);
});

Deno.test("memory stays within its limit, and free rows are reused", () => {
  for (const [dimensions, limit] of [[3, MIB], [384, MIB], [1000, 3 * MIB], [384, 200_000]] as const) {
    const next = vectorMaker(1, dimensions);
    const matrix = new QuantizedMatrix(dimensions, limit);
    let id = 0;
    while (!matrix.isFull) assert(matrix.set(++id, next()));
    assert(matrix.bytes <= limit, `${matrix.bytes} bytes of ${limit}`);
    assert(matrix.bytes > 0.6 * limit, `${matrix.bytes} bytes of ${limit} are too few`);
    assert(!matrix.set(id + 1, next()));
    const vector = next();
    assert(matrix.set(1, vector), "a stored vector can be replaced");
    matrix.delete(2);
    assert(!matrix.isFull);
    assert(matrix.set(id + 1, next()));
    assertEquals([matrix.size, matrix.has(2), matrix.has(id + 1)], [id, false, true]);
    matrix.clear();
    assertEquals(matrix.size, 0);
    assert(matrix.set(9, vector));
    assertEquals([...bounds(matrix, vector).keys()], [9]);
    assert(matrix.bytes <= limit);
  }
});

Deno.test("a matrix with a limit below one vector stores no vector", () => {
  const matrix = new QuantizedMatrix(384, 0);
  assertEquals([matrix.isFull, matrix.set(1, new Float32Array(384)), matrix.bytes], [true, false, 65_536]);
});
