import { assertEquals, assertThrows } from "@std/assert";
import { CHUNKS_PER_PAGE } from "../../../../src/engine/sqlite/index/chunk_metadata.ts";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { readPostings } from "./lengths.ts";

Deno.test("an update that fails for lack of memory is repeated by the next one", () => {
  const memory = new IndexMemory();
  const lengths = new Uint16Array(CHUNKS_PER_PAGE);
  const chunks = {
    statistics: { chunks: 1, averageLength: 2 },
    revisionOf: () => 1,
    lengthsOn: () => lengths,
  };
  lengths[7] = 2;
  // More than 32-bit addresses can reach.
  assertThrows(() => memory.update({ ...chunks, pageCount: 40_000 }), RangeError);
  memory.update({ ...chunks, pageCount: 1 });
  assertEquals(readPostings(memory, () => memory.kernel.addPosting(7n, 1)), [[7, 1]]);
});
