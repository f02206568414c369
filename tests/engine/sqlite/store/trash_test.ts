import { assert, assertEquals, assertThrows } from "@std/assert";
import { DeletedDocument, TrashPage } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import {
  getDocument,
  isKnownDocument,
  listDocuments,
  listTrash,
  readStatus,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { draft, TestStore } from "./test_store.ts";

/** A page of the trash with the default number of days. */
function trash(store: TestStore, query: { limit?: number; cursor?: string } = {}): TrashPage {
  return TrashPage.parse(listTrash(store.db, { limit: 10, trashDays: 30, ...query }));
}

Deno.test("a deleted document is in the trash, and in no listing, count, search or duplicate detection", async () => {
  await using store = await TestStore.open();
  const id = Number(
    store.addNote("zebra", { tags: ["collection:memory", "a"], sourcePath: "p" }).document_id,
  );
  const { updated_at, version } = store.write("changeTags", id, { remove: [], add: ["b"] });
  const deleted = DeletedDocument.parse(store.write("deleteDocument", id, { actor: "claude-code" }));
  const [trashed] = trash(store).documents;
  assertEquals(trashed?.deleted_by, "claude-code");
  assertEquals(deleted.restorable_until, trashed?.restorable_until);
  assertEquals(
    Date.parse(trashed?.restorable_until ?? "") - Date.parse(trashed?.deleted_at ?? ""),
    30 * 864e5,
  );
  assertEquals(
    [trashed?.document_id, trashed?.tags, trashed?.source_path, trashed?.version, trashed?.updated_at],
    [id, ["a", "b", "collection:memory"], "p", version ?? 0, updated_at ?? null],
  );
  assertEquals(readStatus(store.db).trash, { documents: 1 });
  assertEquals(readStatus(store.db).documents.total, 0);
  assertThrows(
    () => getDocument(store.db, id),
    KnowledgeBaseError,
    `There is no document ${id}: it was deleted at `,
  );
  assertEquals(listDocuments(store.db, { limit: 10 }).total, 0);
  assertEquals([store.find("zebra"), store.count("tags"), store.count("chunks")], [[], 0, 0]);
  const again = store.addNote("zebra", { sourcePath: "p" });
  assertEquals([again.outcome, again.document_id], ["created", id + 1]);
  store.check();
});

Deno.test("a document is known while it is stored or can be restored", async () => {
  await using store = await TestStore.open();
  const [kept, deleted, erased] = ["heron", "ibis", "stork"].map((text) =>
    Number(store.addNote(text).document_id)
  ) as [number, number, number];
  store.write("deleteDocument", deleted);
  store.write("deleteDocument", erased, { permanent: true });
  const known = [kept, deleted, erased, erased + 1].map((id) => isKnownDocument(store.db, id));
  assertEquals(known, [true, true, false, false]);
});

Deno.test("a change of a deleted document says that it was deleted, and by whom if a version is expected", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("deleteDocument", id, { actor: "cursor" });
  const change = (ifVersion?: number) => () =>
    store.write("updateNote", id, { text: "quagga" }, { ifVersion });
  const missing = assertThrows(change(), KnowledgeBaseError, ". Restore it first");
  const { deleted_at } = trash(store).documents[0]!;
  assertEquals([missing.code, missing.details], [
    "not_found",
    { document_id: id, title: "zebra", deleted_at, deleted_by: "cursor" },
  ]);
  const conflict = assertThrows(change(1), KnowledgeBaseError, "was deleted");
  assertEquals(conflict.code, "version_conflict");
  const { changed_at, ...details } = conflict.details as Record<string, unknown>;
  assertEquals(details, { document_id: id, version: null, title: "zebra", changed_by: "cursor" });
  assertEquals(changed_at, trash(store).documents[0]?.deleted_at);
});

Deno.test("the trash is listed page by page, most recently deleted first", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 5; i++) store.addNote(`note ${i}`);
  for (const id of [3, 1, 5, 2, 4]) store.write("deleteDocument", id);
  const ids = [];
  let cursor: string | undefined;
  do {
    const page = trash(store, { limit: 2, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.documents.map(({ document_id }) => document_id));
    assertEquals(page.total, 5);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assertEquals(ids, [4, 2, 5, 1, 3]);
});

Deno.test("a permanent delete erases the document and its revisions, also from the trash", async () => {
  await using store = await TestStore.open();
  const one = Number(store.addNote("zebra").document_id);
  const two = Number(store.addNote("quagga", { title: "Quagga" }).document_id);
  for (const id of [one, two]) store.write("updateNote", id, { text: `another ${id}` });
  store.write("deleteDocument", two);
  const deleted = store.write("deleteDocument", one, { permanent: true });
  assertEquals(deleted as unknown, { status: "deleted", document_id: one, title: "another 1" });
  assertThrows(
    () => store.write("deleteDocument", two, { permanent: true, ifVersion: 1 }),
    KnowledgeBaseError,
  );
  assertEquals(trash(store).total, 1);
  assertEquals(store.write("deleteDocument", two, { permanent: true }).title, "Quagga");
  assertEquals([store.count("revisions"), store.count("trash"), store.count("documents")], [0, 0, 0]);
  assertThrows(() => store.write("deleteDocument", two, { permanent: true }), KnowledgeBaseError);
});

Deno.test("deleting a document twice is not_found, and keeps it in the trash", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("deleteDocument", id);
  const error = assertThrows(() => store.write("deleteDocument", id), KnowledgeBaseError);
  assertEquals([error.code, trash(store).total], ["not_found", 1]);
});

Deno.test("without revisions, the trash still keeps deleted documents", async () => {
  const retention = { maxRevisions: 0, revisionDays: 90, trashDays: 1 };
  await using store = await TestStore.open({ retention });
  const id = Number(store.addFile("x", {}, { chunks: [draft("zebra"), draft("quagga")] }).document_id);
  store.write("changeTags", id, { remove: [], add: ["a"] });
  assertEquals([store.document(id).version, store.count("revisions")], [2, 0]);
  const before = store.document(id);
  store.write("deleteDocument", id);
  assertEquals(store.count("revisions"), 1);
  const restored = store.write("restoreDocument", id, {});
  assertEquals([restored.version, restored.restored_version, restored.tags], [3, 2, before.tags]);
  assertEquals([store.count("revisions"), store.count("trash")], [0, 0]);
  assert(store.find("quagga").includes(id));
});
