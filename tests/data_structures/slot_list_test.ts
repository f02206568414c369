import { assertEquals } from "@std/assert";
import { SlotList } from "../../src/data_structures/mod.ts";

Deno.test("a slot list holds what was added and not deleted, like a set", () => {
  const items = Array.from({ length: 20 }, (_, id) => ({ id, slot: -1 }));
  const list = new SlotList<typeof items[number]>();
  const expected = new Set<typeof items[number]>();
  let seed = 1;
  for (let step = 0; step < 2000; step++) {
    seed = (seed * 48_271) % 0x7fff_ffff;
    const item = items[seed % items.length]!;
    if (expected.has(item)) assertEquals(list.delete(item), expected.delete(item));
    else if (seed % 3 === 0) assertEquals(list.delete(item), false);
    else {
      list.add(item);
      expected.add(item);
    }
    assertEquals(list.size, expected.size);
    const ids = list.toArray().map(({ id }) => id);
    assertEquals(ids.toSorted((a, b) => a - b), [...expected].map(({ id }) => id).toSorted((a, b) => a - b));
  }
});

Deno.test("items may be removed from a slot list while it is read", () => {
  const list = new SlotList<{ slot: number }>();
  for (let i = 0; i < 3; i++) list.add({ slot: -1 });
  for (const item of list.toArray()) list.delete(item);
  assertEquals(list.toArray(), []);
});
