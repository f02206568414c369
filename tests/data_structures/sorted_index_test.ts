import { assertEquals } from "@std/assert";
import { sortedIndexOf } from "../../src/data_structures/mod.ts";

Deno.test("sortedIndexOf: finds each number, and none between, below or above them", () => {
  for (const length of [0, 1, 2, 7, 8]) {
    const odd = Uint32Array.from({ length }, (_, n) => 2 * n + 1);
    for (let number = 0; number <= 2 * length + 1; number++) {
      const index = odd.indexOf(number);
      assertEquals(sortedIndexOf(odd, number), index < 0 ? undefined : index);
    }
  }
});
