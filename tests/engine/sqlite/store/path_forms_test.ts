import { assertEquals, assertThrows } from "@std/assert";
import { DocumentListRequest } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { listDocuments, queryDocuments } from "../../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "./test_store.ts";

/** Returns the ids of the documents with a path, of those with its words, and of those whose path starts like it. */
function find(store: TestStore, path: string): { at: number[]; named: number[]; below: number[] } {
  const ids = (documents: readonly { document_id: unknown }[] = []) =>
    documents.map(({ document_id }) => Number(document_id));
  const prefix = path.replace(/\.md$/, "");
  return {
    at: ids(listDocuments(store.db, { source_path: path, limit: 10 }).documents),
    named: ids(queryDocuments(store.db, DocumentListRequest.parse({ title: path })).documents),
    below: ids(queryDocuments(store.db, DocumentListRequest.parse({ source_path_prefix: prefix })).documents),
  };
}

const COMPOSED = "\xdcber/F\xf6hn.md";
const DECOMPOSED = COMPOSED.normalize("NFD");

Deno.test("a path is found in composed and decomposed letters, as macOS has them", async () => {
  await using store = await TestStore.open();
  store.addNote("1", { sourcePath: DECOMPOSED });
  for (const path of [COMPOSED, DECOMPOSED]) {
    assertEquals(find(store, path), { at: [1], named: [1], below: [1] });
  }
  store.addNote("2", { sourcePath: "caf\xe9.md" });
  assertEquals(find(store, "cafe\u0301.md"), { at: [2], named: [2], below: [2] });
});

Deno.test("of two paths that differ in the form of their letters, the equal one is found", async () => {
  await using store = await TestStore.open();
  store.addNote("1", { sourcePath: DECOMPOSED });
  store.addNote("2", { sourcePath: "other" });
  // As earlier versions, and sources with both files, store them.
  store.db.prepare("UPDATE documents SET source_path = ? WHERE id = 2").run(COMPOSED);
  assertEquals(find(store, DECOMPOSED), { at: [1], named: [2, 1], below: [2, 1] });
  assertEquals(find(store, COMPOSED), { at: [2], named: [2, 1], below: [2, 1] });
  // Each is still stored for itself.
  assertEquals(store.addNote("3", { sourcePath: DECOMPOSED }).document_id, 1);
  assertEquals(store.addNote("4", { sourcePath: COMPOSED }).document_id, 2);
});

Deno.test("a note or file at a path in another form replaces the document, which keeps its path", async () => {
  await using store = await TestStore.open();
  store.addNote("1", { sourcePath: DECOMPOSED });
  const { outcome, document_id } = store.addNote("2", { sourcePath: COMPOSED });
  assertEquals([outcome, document_id], ["replaced", 1]);
  assertEquals(find(store, COMPOSED).at, [1]);
  const { documents } = listDocuments(store.db, { limit: 10 });
  assertEquals(documents.map(({ source_path }) => source_path), [DECOMPOSED]);

  store.addFile("a", { sourcePath: "caf\xe9.pdf" });
  assertEquals(store.addFile("b", { sourcePath: "cafe\u0301.pdf" }).outcome, "replaced");
  const other = Number(store.addNote("other").document_id);
  assertThrows(
    () => store.write("editDocument", other, { source_path: COMPOSED }),
    KnowledgeBaseError,
    "Another document has the source_path",
  );
  store.write("editDocument", 1, { source_path: COMPOSED });
  assertEquals(
    listDocuments(store.db, { source_path: COMPOSED, limit: 1 }).documents[0]?.source_path,
    COMPOSED,
  );
});
