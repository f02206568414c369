import { assert, assertEquals } from "@std/assert";
import { getDocument } from "../../../../src/engine/sqlite/store/mod.ts";
import { addDays, hasExpired, retentionStep } from "../../../../src/engine/sqlite/store/retention.ts";
import { TestStore } from "./test_store.ts";

const RETENTION = { maxRevisions: 20, revisionDays: 90, trashDays: 30 };
/** The clock of the store starts here and advances one second per reading. */
const START = "2026-01-01T00:00:00.000Z";

/** Runs all steps at a number of days after the start. Returns their number. */
function purge(store: TestStore, days: number, retention = RETENTION): number {
  let steps = 0;
  while (retentionStep(store.db, retention, addDays(START, days))) steps++;
  assert(!hasExpired(store.db, retention, addDays(START, days)));
  return steps;
}

Deno.test("a deleted document is erased with its revisions after its days in the trash", async () => {
  await using store = await TestStore.open();
  for (const text of ["zebra", "quagga", "okapi"]) store.addNote(text);
  for (const id of [1, 2]) store.write("updateNote", id, { text: `another ${id}` });
  for (const id of [1, 2]) store.write("deleteDocument", id);
  store.write("restoreDocument", 2, {});
  assertEquals(purge(store, 29.9), 0);
  assertEquals([store.count("trash"), store.count("revisions")], [1, 4]);
  assertEquals(purge(store, 30.1), 1);
  assertEquals([store.count("trash"), store.count("revisions"), store.count("documents")], [0, 2, 2]);
  assertEquals(store.document(2).chunks?.[0]?.text, "another 2");
  assertEquals(purge(store, 30.1), 0);
});

Deno.test("a former version is deleted after its days, oldest first, and the current one stays", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("changeTags", id, { remove: [], add: ["a"] });
  store.write("updateNote", id, { text: "quagga" });
  assertEquals(purge(store, 89.9), 0);
  // As a clock that was set back records it.
  store.db.prepare("UPDATE revisions SET changed_at = ? WHERE version = 1").run(addDays(START, 50));
  assertEquals(purge(store, 90.1), 1);
  assertEquals([store.count("revisions"), store.document(id).version], [0, 3]);
});

Deno.test("the trash keeps the last version of a document longer than former versions", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("updateNote", id, { text: "quagga" });
  store.write("deleteDocument", id);
  purge(store, 300, { ...RETENTION, trashDays: 365 });
  assertEquals([getDocument(store.db, id, { version: 1 }), store.count("revisions")], [undefined, 1]);
  store.write("restoreDocument", id, {});
  assertEquals(store.document(id).chunks?.[0]?.text, "quagga");
});

Deno.test("without revisions or trash in the settings, what was kept is deleted", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("updateNote", id, { text: "quagga" });
  store.addNote("okapi");
  store.write("deleteDocument", 2);
  purge(store, 1, { maxRevisions: 0, revisionDays: 90, trashDays: 0 });
  assertEquals([store.count("revisions"), store.count("trash"), store.count("documents")], [0, 0, 1]);
});

Deno.test("each step deletes a bounded number of revisions and of bytes", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 250; i++) store.addNote(`note ${i}`);
  for (let id = 1; id <= 250; id++) store.write("deleteDocument", id);
  assertEquals(purge(store, 40), 3);
  for (let i = 0; i < 6; i++) store.write("deleteDocument", Number(store.addNote(`note ${i}`).document_id));
  store.db.exec("UPDATE revisions SET content = zeroblob(1500000)");
  assertEquals(purge(store, 40), 3);
  const { document_id } = store.addNote("a book");
  store.write("deleteDocument", Number(document_id));
  store.db.exec("UPDATE revisions SET content = zeroblob(9000000)");
  assertEquals(purge(store, 40), 1);
});
