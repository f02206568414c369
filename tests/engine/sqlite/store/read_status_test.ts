import { assertEquals, assertNotEquals } from "@std/assert";
import { StatusReader } from "../../../../src/engine/sqlite/store/mod.ts";
import { readStatus } from "../../../../src/engine/sqlite/store/read_status.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open.ts";
import { TestStore } from "./test_store.ts";

Deno.test("the status is read again after a commit only, and is that of the latest commit", async () => {
  await using store = await TestStore.open();
  const db = openForReading(store.dir);
  using _ = { [Symbol.dispose]: () => db.close() };
  const reader = new StatusReader(db);
  store.addNote("First", { tags: ["a"] });
  const first = reader.read();
  assertEquals([first.documents.total, first.chunks, first.top_tags], [1, 1, [{ tag: "a", count: 1 }]]);
  assertEquals(reader.read().documents === first.documents, true);
  store.addNote("Second", { tags: ["a"] });
  const second = reader.read();
  assertNotEquals(second, first);
  assertEquals([second.documents.total, second.top_tags], [2, [{ tag: "a", count: 2 }]]);
  assertEquals(second, readStatus(store.db));
});
