import { assertEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { TestStore } from "./test_store.ts";

Deno.test("a document has version 1, and each change of text or metadata adds 1", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["a"] }).document_id);
  assertEquals(store.document(id).version, 1);
  assertEquals(store.write("changeTags", id, { remove: [], add: ["b"] }).version, 2);
  assertEquals(store.write("updateNote", id, { text: "two" }).version, 3);
  assertEquals(store.write("updateNote", id, { text: "two", title: "Two" }).version, 4);
  store.addNote("two", { sourcePath: "two.md" });
  assertEquals(store.document(id).version, 5);
  store.addNote("three", { sourcePath: "two.md" });
  assertEquals(store.document(id).version, 6);
  assertEquals(store.count("revisions"), 5);
});

Deno.test("a call that changes nothing makes no version", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["a"], sourcePath: "p" }).document_id);
  store.write("changeTags", id, { remove: ["b"], add: ["a"] });
  store.write("updateNote", id, { text: "one" });
  store.addNote("one", { tags: ["a"], sourcePath: "p" });
  assertEquals([store.document(id).version, store.count("revisions")], [1, 0]);
});

Deno.test("a change for another version is rejected, and names who changed the document and when", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { title: "One" }).document_id);
  const { updated_at } = store.write("updateNote", id, { text: "two" }, {
    ifVersion: 1,
    actor: "claude-code",
  });
  const before = store.document(id);
  const changes = [
    () => store.write("updateNote", id, { text: "three" }, { ifVersion: 1 }),
    () => store.write("changeTags", id, { remove: [], add: ["x"] }, { ifVersion: [1, 3] }),
    () => store.write("deleteDocument", id, { ifVersion: 1 }),
  ];
  for (const change of changes) {
    const error = assertThrows(change, KnowledgeBaseError);
    assertEquals(error.code, "version_conflict");
    assertEquals(error.details, {
      document_id: id,
      version: 2,
      title: "One",
      changed_at: updated_at,
      changed_by: "claude-code",
    });
  }
  assertEquals(store.document(id), before);
  assertEquals(store.write("changeTags", id, { remove: [], add: ["x"] }, { ifVersion: [1, 2] }).version, 3);
});

Deno.test("the last 20 versions of a document are kept", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("note 0").document_id);
  for (let i = 1; i <= 22; i++) store.write("updateNote", id, { text: `note ${i}` });
  const versions = store.db.prepare("SELECT version FROM revisions ORDER BY version").all();
  assertEquals(versions.map(({ version }) => version), Array.from({ length: 20 }, (_, i) => i + 3));
});
