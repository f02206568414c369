import { assertEquals } from "@std/assert";
import { addId, bitset, hasId } from "../../src/data_structures/bitset.ts";

Deno.test("a bitset contains the added ids, and none beyond its end", () => {
  for (const maxId of [0, 7, 8, 4096]) {
    const bits = bitset(maxId);
    const added = [0, 3, 7, 8, 15, 4096].filter((id) => id <= maxId);
    for (const id of added) addId(bits, id);
    const contained = Array.from({ length: maxId + 100 }, (_, id) => id).filter((id) => hasId(bits, id));
    assertEquals(contained, added);
  }
});
