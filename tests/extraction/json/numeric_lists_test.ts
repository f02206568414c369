import { assert, assertEquals } from "@std/assert";
import { NumericLists } from "../../../src/extraction/json/numeric_lists.ts";

Deno.test("a list is numeric if it has only numbers and numeric lists", () => {
  const cases: [unknown[], boolean][] = [
    [[], true],
    [[1, 2], true],
    [[[1], [[2, 3], []]], true],
    [[1, "2"], false],
    [[1, null], false],
    [[[1, 2], [3, [{}]]], false],
  ];
  for (const [list, isNumeric] of cases) {
    assertEquals(new NumericLists().has(list), isNumeric, JSON.stringify(list));
  }
});

Deno.test("a list is numeric or not, whatever was asked before", () => {
  const numeric = [1, [2]];
  const other = [numeric, ["3"]];
  const lists = new NumericLists();
  assertEquals([[other, numeric], other, numeric].map((list) => lists.has(list)), [false, false, true]);
});

Deno.test("asking about every list of a nested value reads each item a bounded number of times", () => {
  let reads = 0;
  const counted = (list: unknown[]) =>
    new Proxy(list, {
      get: (target, key) => {
        if (key === "0" || key === "1") reads++;
        return Reflect.get(target, key);
      },
    });
  const depth = 1000;
  const all: unknown[][] = [counted(["deep", 1])];
  for (let i = 1; i < depth; i++) all.unshift(counted([1, all[0]]));
  const lists = new NumericLists();
  for (const list of all) assertEquals(lists.has(list), false);
  assert(reads <= 4 * depth, `${reads} reads`);
});
