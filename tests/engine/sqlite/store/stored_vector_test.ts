import { assert, assertEquals } from "@std/assert";
import {
  decodeVector,
  dotProduct,
  encodeVector,
  isVectorSize,
  storedDotProduct,
} from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { vectorMaker } from "../vectors/vector_store.ts";

/** Returns the blob that an older version stored. */
function float32Blob(vector: Float32Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

for (const dimensions of [1, 2, 3, 5, 16, 383, 384]) {
  Deno.test(`a stored vector has the dot products of the vector, to 10 bits: ${dimensions} dimensions`, () => {
    const next = vectorMaker(dimensions, dimensions);
    for (let round = 0; round < 20; round++) {
      const [vector, query] = [next(), next()];
      const blob = encodeVector(vector);
      const decoded = decodeVector(blob, dimensions);
      const largest = Math.max(...vector.map(Math.abs));
      assert(decoded.every((each, i) => Math.abs(each - vector[i]!) <= 0.51 * largest / 511));
      assert(Math.abs(storedDotProduct(query, blob) - dotProduct(query, decoded)) < 1e-6);
      assertEquals(encodeVector(decoded), blob);
    }
  });
}

Deno.test("a vector takes 10 bits per dimension and 4 bytes", () => {
  assertEquals(encodeVector(new Float32Array(384)).length, 484);
  assertEquals(encodeVector(new Float32Array(5)).length, 11);
});

Deno.test("extreme vectors are stored", () => {
  for (const numbers of [[0, 0, 0], [1e-40, -1e-40, 0], [3e38, -3e38, 1e38], [-1, 1, -0.5]]) {
    const vector = Float32Array.from(numbers);
    const decoded = decodeVector(encodeVector(vector), 3);
    const largest = Math.max(...vector.map(Math.abs));
    assert(decoded.every((each, i) => Math.abs(each - vector[i]!) <= largest / 511 + 2e-38), `${numbers}`);
  }
});

Deno.test("vectors of older versions are read, wherever they are in their buffer", () => {
  const vector = vectorMaker(1, 7)();
  const blob = float32Blob(vector);
  const unaligned = new Uint8Array(blob.length + 1);
  unaligned.set(blob, 1);
  for (const each of [blob, unaligned.subarray(1)]) {
    assertEquals(decodeVector(each, 7), vector);
    assertEquals(storedDotProduct(vector, each), dotProduct(vector, vector));
  }
});

Deno.test("a size belongs to one encoding, or to none", () => {
  assertEquals([484, 1536, 0, 483, 768].map((bytes) => isVectorSize(bytes, 384)), [
    true,
    true,
    false,
    false,
    false,
  ]);
  assertEquals(isVectorSize(0, 0), false);
  for (let dimensions = 1; dimensions < 100; dimensions++) {
    assert(encodeVector(new Float32Array(dimensions)).length !== 4 * dimensions);
  }
});
