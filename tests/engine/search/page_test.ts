import { assertEquals } from "@std/assert";
import { nextOffset, type SearchPage } from "../../../src/engine/search/page.ts";

/** A page of chunks 1 to 3, after `offset` results. */
const pageAt = (offset: number, total: number): SearchPage => ({
  hits: [1, 2, 3].map((id) => ({ id, score: 1 })),
  offset,
  total,
  isLast: offset + 3 >= total,
  weak: 0,
});

Deno.test("the next page starts after the results of this one, unless it is the last", () => {
  assertEquals(nextOffset(pageAt(0, 9)), 3);
  assertEquals(nextOffset(pageAt(3, 9)), 6);
  assertEquals(nextOffset(pageAt(6, 9)), undefined);
  assertEquals(nextOffset({ ...pageAt(100, 9), hits: [] }), undefined);
});

Deno.test("the next page starts at the first result that the token budget omitted", () => {
  assertEquals(nextOffset(pageAt(3, 9), 2), 4);
  assertEquals(nextOffset(pageAt(6, 9), 3), 8);
});
