import { assert, assertEquals } from "@std/assert";
import { encodeVector, storedDotProduct } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { DotProductKernel, firstAddress } from "../../../../src/engine/sqlite/vectors/stored_dot_products.ts";
import { seededRandom } from "../../../support/random.ts";
import { vectorMaker } from "./vector_store.ts";

const COUNT = 300;

Deno.test("the products of stored vectors are exact from a threshold on, and most others are omitted", () => {
  const { next: random } = seededRandom(5);
  const kernel = new DotProductKernel();
  for (const dimensions of [4096, 1023, 385, 384, 62, 17, 16, 15, 3, 2, 1]) {
    const next = vectorMaker(dimensions, dimensions);
    // Of any length, with some equal numbers, and with the largest and the smallest integers.
    const vectors = Array.from({ length: COUNT }, (_, n) => {
      const factor = n % 7 === 0 ? 0 : n % 3 ? 1 : 1e6 * random();
      return next().map((each) => factor * (n % 5 === 0 ? Math.sign(each) : each));
    });
    const blobs = vectors.map(encodeVector);
    const stride = blobs[0]!.length;
    const from = firstAddress(dimensions, COUNT);
    const addresses = Uint32Array.from(blobs, (_, n) => from + stride * n);
    for (const [n, blob] of blobs.entries()) kernel.view(addresses[n]!, stride).set(blob);
    const queries = [
      next(),
      next().map(Math.sign),
      next().map((each) => 1e-3 * each),
      ...[0, 1, 5].map((n) => vectors[n]!),
    ];
    for (const query of queries) {
      const expected = blobs.map((blob) => storedDotProduct(query, blob));
      assertEquals([...kernel.products(query, addresses)], expected);
      const sorted = expected.toSorted((a, b) => a - b);
      for (const threshold of [sorted[0]!, sorted[COUNT >> 1]!, expected[5]!, sorted.at(-1)!]) {
        const actual = kernel.products(query, addresses, threshold);
        for (const [n, product] of actual.entries()) {
          if (!Number.isNaN(product)) assertEquals(product, expected[n]);
          else assert(expected[n]! < threshold, `${expected[n]} was omitted with ${threshold}`);
        }
      }
      if (query !== queries[0] || dimensions < 15) continue;
      const omitted = kernel.products(query, addresses, sorted.at(-1)!).filter((each) => Number.isNaN(each));
      assert(omitted.length > 0.8 * COUNT, `${omitted.length} with ${dimensions} dimensions`);
    }
  }
});
