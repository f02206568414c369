import { assert, assertEquals } from "@std/assert";
import { GenerationCache } from "../../src/data_structures/mod.ts";

const cached = (cache: GenerationCache<number, string>, keys: readonly number[]) =>
  keys.filter((key) => cache.get(key) !== undefined);

Deno.test("values stay while their sizes fit, the last used ones longest", () => {
  const cache = new GenerationCache<number, string>(10);
  for (const key of [1, 2, 3, 4, 5]) cache.set(key, `v${key}`);
  assertEquals(cached(cache, [1, 2, 3, 4, 5]), [1, 2, 3, 4, 5]);
  cache.set(6, "v6");
  assertEquals(cache.get(1), "v1");
  for (const key of [7, 8, 9, 10]) cache.set(key, `v${key}`);
  assertEquals(cached(cache, [1, 2, 3, 6, 10]), [1, 6, 10]);
});

Deno.test("the sum of the sizes is bounded, also when values are replaced", () => {
  const cache = new GenerationCache<number, string>(10);
  for (let n = 0; n < 100; n++) cache.set(n % 7, "x".repeat(n % 4 + 1), n % 4 + 1);
  const keys = Array.from({ length: 7 }, (_, key) => key);
  const total = keys.reduce((sum, key) => sum + (cache.get(key)?.length ?? 0), 0);
  assert(total <= 10, `${total}`);
  cache.set(9, "too large", 6);
  assertEquals(cache.get(9), undefined);
  cache.clear();
  assertEquals(cached(cache, keys), []);
});
