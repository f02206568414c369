import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Document } from "../../../../src/contract/mod.ts";
import { RestoredDocument, RevisionPage } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { getDocument, listRevisions } from "../../../../src/engine/sqlite/store/mod.ts";
import { noteText } from "../../../../src/engine/sqlite/store/note_texts.ts";
import { draft, TestStore } from "./test_store.ts";

/** The fields that a restored document has in common with its former version. */
function restorable(document: Document): unknown {
  const { version: _version, updated_at: _updated, chunks = [], ...rest } = document;
  return { ...rest, chunks: chunks.map(({ chunk_id: _id, ...chunk }) => chunk) };
}

Deno.test("restoring undoes the last change, and restoring again redoes it", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("# Zebra\nold", { tags: ["a"] }).document_id);
  const before = store.document(id);
  store.write("updateNote", id, { text: "---\ntags: [b]\nx: 1\n---\n# Quagga\nnew" });
  const after = store.document(id);
  const undone = RestoredDocument.parse(store.write("restoreDocument", id, {}, { actor: "cursor" }));
  assertEquals([undone.version, undone.restored_version], [3, 1]);
  assertEquals(restorable(store.document(id)), restorable(before));
  assertEquals([store.find("quagga"), store.find("title: zebra")], [[], [id]]);
  const redone = store.write("restoreDocument", id, {});
  assertEquals([redone.version, redone.restored_version], [4, 2]);
  assertEquals(restorable(store.document(id)), restorable(after));
  store.check();
});

Deno.test("a deleted document is restored with its id, text, tags, metadata and creation time", async () => {
  await using store = await TestStore.open();
  const text = Array.from({ length: 60 }, (_, i) => `# Part ${i}\n\nParagraph ${i} on zebras.`).join("\n\n");
  const note = { title: "Zebras", tags: ["collection:memory", "a"], sourcePath: "p" };
  const id = Number(store.addNote(`---\nsource: zoo\n---\n${text}`, note).document_id);
  const before = store.document(id);
  store.write("deleteDocument", id);
  const restored = store.write("restoreDocument", id, {});
  assertEquals([restored.version, restored.restored_version], [2, 1]);
  assertEquals(restorable(store.document(id)), restorable(before));
  assert(String(restored.updated_at) > String(before.created_at));
  assertEquals([store.find("zebras"), store.count("trash")], [[id], 0]);
  assertEquals(store.addNote(`---\nsource: zoo\n---\n${text}`).outcome, "duplicate");
  store.check();
});

Deno.test("the exact text of a note is restored, and can be edited", async () => {
  await using store = await TestStore.open();
  const part = (n: number) => `# Part ${n}\n${"Zebras graze all day long. ".repeat(40)}`;
  const text = [1, 2, 3, 4].map(part).join("\n\t\n");
  const id = Number(store.addNote(text).document_id);
  assertEquals(store.count("note_texts"), 1);
  store.write("updateNote", id, { text: "quagga" });
  store.write("deleteDocument", id);
  store.write("restoreDocument", id, { version: 1 });
  assertEquals(noteText(store.db, id), text.trimEnd());
  store.write("editDocument", id, { replace: { old: "\n\t\n# Part 3", new: "\n\t\n# Part 5" } });
  assertEquals(noteText(store.db, id), text.replace("Part 3", "Part 5").trimEnd());
});

Deno.test("a replaced file is restored without its bytes, with pages and lines", async () => {
  await using store = await TestStore.open();
  const chunks = [0, 1, 2].map((i) => ({
    ...draft(`zebra ${i}`),
    headingPath: ["Animals", `Part ${i}`],
    charStart: i * 10,
    charEnd: i * 10 + 7,
    lineStart: i + 1,
    lineEnd: i + 2,
    pageStart: i + 5,
    pageEnd: i + 6,
  }));
  const metadata = { author: "Ada", pages: 3 };
  const id = Number(
    store.addFile("pdf", { sourcePath: "p.pdf" }, { title: "Zebras", chunks, metadata }).document_id,
  );
  const before = store.document(id);
  assertEquals(store.addFile("other", { sourcePath: "p.pdf" }, { title: "Quaggas" }).outcome, "replaced");
  store.write("restoreDocument", id, { version: 1 });
  assertEquals(restorable(store.document(id)), restorable(before));
  store.check();
});

Deno.test("a former version is read with a range of its chunks, of a deleted document, too", async () => {
  await using store = await TestStore.open();
  const chunks = [0, 1, 2, 3].map((i) => draft(`zebra ${i}`));
  const id = Number(store.addFile("x", { tags: ["a"] }, { chunks, title: "Zebras" }).document_id);
  const before = store.document(id);
  store.write("changeTags", id, { remove: ["a"], add: ["b"] });
  const read = (version: number, query = {}) => getDocument(store.db, id, { version, ...query });
  const former = read(1);
  assertEquals(former && restorable(former), restorable(before));
  assertEquals([former?.version, former?.updated_at], [1, null]);
  assertEquals(read(2)?.tags, ["b"]);
  assertEquals(read(3), undefined);
  store.write("deleteDocument", id);
  const page = read(1, { offset: 1, limit: 2 });
  assertEquals(page?.chunks?.map(({ text, index }) => [text, index]), [["zebra 1", 1], ["zebra 2", 2]]);
  assertEquals([page?.chunks_total, page?.chunks_offset], [4, 1]);
  assertEquals([read(2)?.tags, read(2, { chunks: false })?.chunks], [["b"], undefined]);
});

Deno.test("revisions are listed page by page, newest first, with who ended them, how and when", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["collection:memory"] }).document_id);
  store.write("updateNote", id, { text: "two" }, { actor: "cursor" });
  store.write("updateNote", id, { text: "two", title: "Two" });
  store.write("changeTags", id, { remove: [], add: ["a"] }, { actor: "codex" });
  const move = { remove: [], remove_prefix: "collection:", add: ["collection:documents"] };
  store.write("changeTags", id, move);
  store.write("restoreDocument", id, {});
  const page = (query: { limit: number; cursor?: string }) =>
    RevisionPage.parse(listRevisions(store.db, id, query));
  const all = page({ limit: 10 });
  assertEquals(
    all.revisions.map(({ version, change, changed_by, title }) => [version, change, changed_by, title]),
    [
      [5, "restored", null, "Two"],
      [4, "collection", null, "Two"],
      [3, "tags", "codex", "Two"],
      [2, "metadata", null, "two"],
      [1, "text", "cursor", "one"],
    ],
  );
  assertEquals([all.version, all.title, all.total, all.next_cursor], [6, "Two", 5, null]);
  const first = page({ limit: 3 });
  const second = page({ limit: 3, cursor: String(first.next_cursor) });
  assertEquals([...first.revisions, ...second.revisions], all.revisions);
  store.write("deleteDocument", id);
  const deleted = page({ limit: 1 });
  assertEquals([deleted.version, deleted.title, deleted.revisions[0]?.change], [null, "Two", "deleted"]);
  assertThrows(() => listRevisions(store.db, 99, { limit: 1 }), KnowledgeBaseError, "no document 99");
});

Deno.test("only a change of text keeps a copy of it", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra", { title: "One" }).document_id);
  store.write("changeTags", id, { remove: [], add: ["a"] });
  store.write("updateNote", id, { text: "quagga", title: "Two" });
  store.write("updateNote", id, { text: "quagga", title: "Three" });
  store.write("deleteDocument", id);
  store.write("restoreDocument", id, {});
  const copies = store.db.prepare("SELECT version FROM revisions WHERE content IS NOT NULL").all();
  assertEquals(copies.map(({ version }) => version), [2]);
  const texts = [1, 2, 3, 4].map((version) => getDocument(store.db, id, { version })?.chunks?.[0]?.text);
  assertEquals(texts, ["zebra", "zebra", "quagga", "quagga"]);
  store.write("restoreDocument", id, { version: 3 });
  assertEquals([store.document(id).title, store.find("title: two"), store.find("quagga")], ["Two", [id], [
    id,
  ]]);
  store.check();
});

Deno.test("the oldest kept version can be restored when no further one is kept", async () => {
  const retention = { maxRevisions: 2, revisionDays: 90, trashDays: 30 };
  await using store = await TestStore.open({ retention });
  const id = Number(store.addNote("note 1").document_id);
  for (const i of [2, 3, 4]) store.write("updateNote", id, { text: `note ${i}` });
  store.write("restoreDocument", id, { version: 2 });
  assertEquals(store.document(id).chunks?.[0]?.text, "note 2");
  assertEquals(store.count("revisions"), 2);
  const error = assertThrows(() => store.write("restoreDocument", id, { version: 2 }), KnowledgeBaseError);
  assertEquals([error.code, error.message.includes("choose one of 4, 3")], ["not_found", true]);
});

Deno.test("restoring what the document already is makes no version", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  assertEquals(store.write("restoreDocument", id, { version: 1 }).version, 1);
  assertThrows(() => store.write("restoreDocument", id, {}), KnowledgeBaseError, "no former version");
  store.write("deleteDocument", id);
  store.write("restoreDocument", id, {});
  assertEquals(store.write("restoreDocument", id, { version: 1 }).version, 2);
});

Deno.test("a document is not restored to a path that another one has", async () => {
  await using store = await TestStore.open();
  const tags = ["collection:memory"];
  const id = Number(store.addNote("zebra", { sourcePath: "p" }).document_id);
  store.write("deleteDocument", id);
  const other = Number(store.addNote("quagga", { sourcePath: "p", tags }).document_id);
  const error = assertThrows(() => store.write("restoreDocument", id, {}), KnowledgeBaseError);
  assertEquals(error.code, "conflict");
  assertEquals(error.details, {
    document_id: other,
    title: "quagga",
    doc_type: "note",
    collection: "memory",
    size_bytes: 6,
    version: 1,
  });
  store.write("deleteDocument", other);
  assertEquals(store.write("restoreDocument", id, {}).source_path, "p");
});

Deno.test("restoring for another version is rejected, and so is one that does not expect the delete", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  store.write("updateNote", id, { text: "quagga" });
  const restore = () => store.write("restoreDocument", id, {}, { ifVersion: 1 });
  assertEquals(assertThrows(restore, KnowledgeBaseError).code, "version_conflict");
  store.write("deleteDocument", id);
  const { code, details } = assertThrows(restore, KnowledgeBaseError);
  assertEquals([code, (details as { version: unknown }).version], ["version_conflict", null]);
  assertThrows(
    () => store.write("restoreDocument", id, {}, { ifVersion: 2 }),
    KnowledgeBaseError,
    "was deleted",
  );
  assertEquals(store.write("restoreDocument", id, {}).version, 3);
  assertThrows(() => store.write("restoreDocument", 99, {}), KnowledgeBaseError, "no document 99");
});

Deno.test("a text that begins like the front matter of another version is not taken for that version", async () => {
  await using store = await TestStore.open();
  const note = "---\nstatus: open\n---\nBody";
  const id = Number(store.addNote(note).document_id);
  store.write("editDocument", id, { prepend: "---\nstatus: open\n---" });
  const { content_hash } = store.document(id);
  assertEquals(content_hash, getDocument(store.db, id, { version: 1 })?.content_hash);
  store.write("restoreDocument", id, { version: 1 });
  const texts = () =>
    [1, 2, 3].map((version) =>
      getDocument(store.db, id, { version })?.chunks?.map(({ text }) => text).join()
    );
  assertEquals(store.document(id).chunks?.[0]?.text, "Body");
  store.write("deleteDocument", id);
  assertEquals(texts(), ["Body", note, "Body"]);
  store.write("restoreDocument", id, { version: 2 });
  assertEquals(store.document(id).chunks?.[0]?.text, note);
  assertEquals(texts(), ["Body", note, "Body"]);
});
