import { assertEquals, assertThrows } from "@std/assert";
import { deepFreeze } from "../../src/data_structures/mod.ts";

Deno.test("a frozen value cannot be changed at any depth", () => {
  const value = deepFreeze({ results: [{ tags: ["a"] }], total: 1, next: null });
  assertEquals(value, { results: [{ tags: ["a"] }], total: 1, next: null });
  assertThrows(() => value.results[0]!.tags.push("b"), TypeError);
  assertThrows(() => value.results.pop(), TypeError);
});
