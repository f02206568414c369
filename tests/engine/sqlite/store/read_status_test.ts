import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { StatusReader } from "../../../../src/engine/sqlite/store/mod.ts";
import { readStatus } from "../../../../src/engine/sqlite/store/read_status.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { TestStore } from "./test_store.ts";

Deno.test("the status is read again after a commit only, and is that of the latest commit", async () => {
  await using store = await TestStore.open();
  const db = openForReading(store.dir);
  using _ = { [Symbol.dispose]: () => db.close() };
  const reader = new StatusReader(db);
  store.addNote("First", { tags: ["a"] });
  const first = await reader.read();
  assertEquals([first.documents.total, first.chunks, first.top_tags], [1, 1, [{ tag: "a", count: 1 }]]);
  assertEquals((await reader.read()).documents === first.documents, true);
  store.addNote("Second", { tags: ["a"] });
  const second = await reader.read();
  assertNotEquals(second, first);
  assertEquals([second.documents.total, second.top_tags], [2, [{ tag: "a", count: 2 }]]);
  assertEquals(second, readStatus(store.db));
});

Deno.test("concurrent callers share one reading of the status, and a failed one is repeated", async () => {
  await using store = await TestStore.open();
  const db = openForReading(store.dir);
  using _ = { [Symbol.dispose]: () => db.close() };
  let reads = 0;
  const reader = new StatusReader(db, () => {
    if (++reads === 1) throw new Error("Damaged");
    return readStatus(db);
  });
  await assertRejects(() => reader.read(), Error, "Damaged");
  const [first, second] = await Promise.all([reader.read(), reader.read()]);
  assertEquals([reads, first === second], [2, true]);
});

Deno.test("documents are counted by type, language, tag and collection", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 30; i++) {
    store.addNote(`Note ${i}`, { tags: [i % 3 ? "a" : "b", "collection:__proto__"] });
  }
  const languages = ["de", "en", "en", "fr", "en"];
  for (let id = 1; id <= 25; id++) {
    store.db.prepare("UPDATE documents SET language = ? WHERE id = ?").run(languages[id % 5]!, id);
  }
  store.db.exec(
    "UPDATE documents SET language = NULL WHERE id > 25; UPDATE documents SET doc_type = 'pdf' WHERE id = 7",
  );
  const { documents, top_tags, tags } = readStatus(store.db);
  assertEquals(documents.total, 30);
  assertEquals(documents.by_type, { note: 29, pdf: 1 });
  assertEquals(documents.by_language, { de: 5, en: 15, fr: 5, und: 5 });
  assertEquals(Object.entries(documents.by_collection), [["__proto__", 30]]);
  assertEquals([top_tags, tags], [[{ tag: "a", count: 20 }, { tag: "b", count: 10 }], 3]);
});
