import { assertEquals } from "@std/assert";
import { ChunkCache } from "../../../../src/engine/sqlite/search/chunk_cache.ts";

/** Returns a cache of 80 values, and a function that reads from it and returns the ids that had to be loaded. */
function cacheOf80() {
  const cache = new ChunkCache<string>(80);
  const read = (...ids: number[]) => {
    const loaded: number[] = [];
    const values = cache.read(ids, (missing) => {
      loaded.push(...missing);
      return missing.filter((id) => id !== 404).map((id) => [id, `value ${id}`] as const);
    });
    assertEquals([...values.keys()].sort(), ids.filter((id) => id !== 404).sort());
    for (const [id, value] of values) assertEquals(value, `value ${id}`);
    return loaded;
  };
  return { cache, read };
}

Deno.test("the values that were read last are in memory", () => {
  const { read } = cacheOf80();
  assertEquals(read(1, 2, 404), [1, 2, 404]);
  assertEquals(read(1, 2, 404), [404]);
});

Deno.test("a value that was read twice outlives those that were read once", () => {
  const { read } = cacheOf80();
  const others = (first: number) => Array.from({ length: 30 }, (_, n) => first + n);
  read(1, ...others(100));
  assertEquals(read(1), [1]);
  assertEquals(read(2), [2]);
  read(...others(200));
  assertEquals(read(1, 2), [2]);
  // The ids that are remembered are bounded.
  read(3);
  read(3 + 4096, ...others(300));
  assertEquals(read(3), [3]);
  read(...others(400));
  assertEquals(read(3), [3]);
});

Deno.test("another version of the database has other values", () => {
  const { cache, read } = cacheOf80();
  cache.refresh("1");
  read(1);
  cache.refresh("1");
  assertEquals(read(1), []);
  cache.refresh("2");
  assertEquals(read(1), [1]);
  cache.refresh("3");
  assertEquals(read(1), [1]);
});
