import { assertEquals } from "@std/assert";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { rehearse } from "../../../../src/engine/sqlite/vectors/rehearsal.ts";
import { VectorScanner } from "../../../../src/engine/sqlite/vectors/vector_scanner.ts";
import { IDENTITY, vectorMaker, VectorStore } from "./vector_store.ts";

/** Returns the searches of a rehearsal over a store with some vectors. */
async function searchesOf(
  { vectors = 1100, maxBytes = 2 ** 24, isIdle = () => true, now = () => 0, fails = false }: {
    vectors?: number;
    maxBytes?: number;
    isIdle?: (searches: number) => boolean;
    now?: () => number;
    fails?: boolean;
  },
): Promise<{ readonly searches: number; readonly bytes: number }> {
  await using store = await VectorStore.open();
  const next = vectorMaker(5, 16);
  store.put(store.addSet({ dimensions: 16 }), Array.from({ length: vectors }, (_, i) => [i + 1, next()]));
  using db = openForReading(store.dir);
  const scanner = new VectorScanner(db, IDENTITY, maxBytes);
  scanner.refresh();
  const { bytes } = scanner.memory;
  let searches = 0;
  const observed = {
    memory: scanner.memory,
    sample: () => scanner.sample(),
    search: (query: Parameters<VectorScanner["search"]>[0]) => {
      searches++;
      const nearest = scanner.search(query);
      // A stored vector is its own nearest one.
      assertEquals(nearest.ids.length, 100);
      if (fails) throw new Error("Damaged");
      return nearest;
    },
  };
  await rehearse(observed, { isIdle: () => isIdle(searches), now });
  return { searches, bytes: scanner.memory.bytes - bytes };
}

Deno.test("an idle thread rehearses a few searches, which take no memory for vectors", async () => {
  assertEquals(await searchesOf({}), { searches: 12, bytes: 0 });
});

Deno.test("a rehearsal ends with the first request, with its time, and with an error", async () => {
  assertEquals((await searchesOf({ isIdle: (searches) => searches < 3 })).searches, 3);
  let time = 0;
  assertEquals((await searchesOf({ now: () => time += 50 })).searches, 2);
  assertEquals((await searchesOf({ fails: true })).searches, 1);
});

Deno.test("few vectors, and those that do not fit into memory, are not rehearsed", async () => {
  assertEquals((await searchesOf({ vectors: 900 })).searches, 0);
  assertEquals((await searchesOf({ maxBytes: 1000 })).searches, 0);
});
