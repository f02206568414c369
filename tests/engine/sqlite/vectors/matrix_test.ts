import { assert, assertEquals } from "@std/assert";
import { TopK } from "../../../../src/data_structures/top_k.ts";
import { dot } from "../../../../src/engine/sqlite/vectors/dot.ts";
import { Matrix, MAX_DIMENSIONS } from "../../../../src/engine/sqlite/vectors/matrix.ts";
import { seededRandom } from "../../../support/random.ts";
import { bitset, vectorMaker } from "./vector_store.ts";

const MIB = 2 ** 20;

/** Every vector's bound, by id. */
function bounds(matrix: Matrix, query: Float32Array, allowed?: Uint8Array): Map<number, number> {
  const best = new TopK(Math.max(1, matrix.size));
  matrix.scan(query, allowed, best);
  const { ids, scores } = best.ranked();
  return new Map([...ids].map((id, i) => [id, scores[i]!]));
}

Deno.test("a bound is never below the exact product, nor further above it than rounding can explain", () => {
  for (const dimensions of [1, 3, 16, 17, 384, 1000]) {
    const next = vectorMaker(dimensions, dimensions);
    const { int } = seededRandom(dimensions);
    const matrix = new Matrix(dimensions, 64 * MIB);
    const vectors = Array.from({ length: 3000 }, (_, i) => {
      // Other lengths than 1 as well, and one number that towers above the others.
      const vector = next().map((each) => each * [1, 1, 1e-20, 1e10][i % 4]!);
      if (int(5) === 0) vector[int(dimensions)]! *= 20;
      return vector;
    });
    for (const [i, vector] of vectors.entries()) assert(matrix.put(i + 1, vector));
    const query = next();
    for (const [id, bound] of bounds(matrix, query)) {
      const vector = vectors[id - 1]!;
      const exact = dot(query, vector);
      const size = Math.sqrt(dot(query, query) * dot(vector, vector));
      const slack = bound - exact;
      assert(slack >= 0, `${dimensions} dimensions, id ${id}: ${bound} is below ${exact}`);
      // Half a step of 1/127 of the largest number, in each dimension, twice: once more for how far the rounded one may be.
      assert(
        slack <= size * (Math.sqrt(dimensions) / 127 + 1e-3),
        `${dimensions}, id ${id}: ${bound}, ${exact}`,
      );
    }
  }
});

Deno.test("sums stay within 32 bits at the most dimensions, of the largest numbers with either sign", () => {
  const matrix = new Matrix(MAX_DIMENSIONS, 4 * MIB);
  const ones = new Float32Array(MAX_DIMENSIONS).fill(1 / 128);
  matrix.put(1, ones);
  matrix.put(2, ones.map((each) => -each));
  matrix.put(3, ones.map((each, i) => i % 2 ? each : -each));
  const found = bounds(matrix, ones);
  for (const [id, exact] of [[1, 1], [2, -1], [3, 0]] as const) {
    const slack = found.get(id)! - exact;
    assert(slack >= 0 && slack < 0.001, `${id}: ${found.get(id)}`);
  }
});

Deno.test("numbers too small for a scale, and vectors of zeros, still have a bound", () => {
  const matrix = new Matrix(3, MIB);
  matrix.put(1, new Float32Array([0, 0, 0]));
  matrix.put(2, new Float32Array([1e-44, -1e-44, 0]));
  for (const query of [new Float32Array([1, 0, 0]), new Float32Array([0, 0, 0])]) {
    for (const [, bound] of bounds(matrix, query)) assert(bound >= 0 && bound < 1e-35, String(bound));
  }
});

Deno.test("a vector with something that is no number is never a candidate", () => {
  const matrix = new Matrix(3, MIB);
  matrix.put(1, new Float32Array([NaN, 1, 1]));
  matrix.put(2, new Float32Array([1, 0, NaN]));
  matrix.put(3, new Float32Array([1, 0, 0]));
  assertEquals([...bounds(matrix, new Float32Array([1, 0, 0])).keys()], [3]);
});

Deno.test("rows that are not allowed are not considered, and ids beyond the set's end are not allowed", () => {
  const matrix = new Matrix(3, MIB);
  for (const id of [1, 7, 8, 9, 5000]) matrix.put(id, new Float32Array([1, 0, 0]));
  const query = new Float32Array([1, 0, 0]);
  assertEquals([...bounds(matrix, query, bitset([7, 9, 300], 64)).keys()], [7, 9]);
  assertEquals(matrix.scan(query, bitset([7, 9], 64), new TopK(1)), 2);
  assertEquals(matrix.scan(query, new Uint8Array(), new TopK(1)), 0);
  assertEquals(matrix.scan(query, undefined, new TopK(1)), 5);
});

Deno.test("memory stays within its limit, and room that was given back is used again", () => {
  for (const [dimensions, limit] of [[3, MIB], [384, MIB], [1000, 3 * MIB], [384, 200_000]] as const) {
    const next = vectorMaker(1, dimensions);
    const matrix = new Matrix(dimensions, limit);
    let id = 0;
    while (matrix.hasRoom) assert(matrix.put(++id, next()));
    assert(matrix.bytes <= limit, `${matrix.bytes} bytes of ${limit}`);
    assert(matrix.bytes > 0.6 * limit, `${matrix.bytes} bytes of ${limit} is too little`);
    assert(!matrix.put(id + 1, next()));
    const other = next();
    assert(matrix.put(1, other), "one that is there can always be changed");
    matrix.delete(2);
    assert(matrix.hasRoom);
    assert(matrix.put(id + 1, next()));
    assertEquals([matrix.size, matrix.has(2), matrix.has(id + 1)], [id, false, true]);
    matrix.clear();
    assertEquals(matrix.size, 0);
    assert(matrix.put(9, other));
    assertEquals([...bounds(matrix, other).keys()], [9]);
    assert(matrix.bytes <= limit);
  }
});

Deno.test("a limit without room for a single vector holds none", () => {
  const matrix = new Matrix(384, 0);
  assertEquals([matrix.hasRoom, matrix.put(1, new Float32Array(384)), matrix.bytes], [false, false, 65_536]);
});
