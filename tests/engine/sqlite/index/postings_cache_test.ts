import { assertEquals } from "@std/assert";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { loadAll, type Postings } from "../../../../src/engine/sqlite/index/postings.ts";
import { PostingsCache } from "../../../../src/engine/sqlite/index/postings_cache.ts";

/** Returns a cache, and a function that adds a posting list of one chunk to it. */
function openCache() {
  const memory = new IndexMemory();
  const cache = new PostingsCache(memory);
  const add = (key: string, id: number) =>
    cache.add(key, () => {
      memory.numbers[memory.scratch >> 2] = id;
      memory.bytes[memory.scratch + 4 * memory.maxPostings] = 1;
      return 1;
    });
  const idOf = (postings: Postings) => {
    memory.kernel.unpackIds(postings.load(), postings.count, memory.scratch);
    return memory.numbers[memory.scratch >> 2];
  };
  return { memory, cache, add, idOf };
}

Deno.test("posting lists with long keys are in memory at once, and are not found again", () => {
  const { memory, cache, add, idOf } = openCache();
  const keys = ["a".repeat(300), "b".repeat(300)];
  const lists = keys.map((key, index) => add(key, index + 1));
  loadAll(lists, memory);
  assertEquals([lists.map(idOf), keys.map((key) => cache.get(key))], [[1, 2], [undefined, undefined]]);
});

Deno.test("two posting lists with one key are in memory at once, and are forgotten together", () => {
  const { memory, cache, add, idOf } = openCache();
  const lists = [add("heron", 7), add("heron", 7)];
  loadAll(lists, memory);
  assertEquals([lists.map(idOf), cache.get("heron") === lists[1]], [[7, 7], true]);
  cache.clear();
  assertEquals([lists.map(({ address }) => address), cache.get("heron")], [[0, 0], undefined]);
});
