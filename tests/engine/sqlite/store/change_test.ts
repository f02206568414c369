import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { contentStep } from "../../../../src/engine/sqlite/store/content_steps.ts";
import { purgeStep } from "../../../../src/engine/sqlite/store/purge.ts";
import { draft, sha256, TestStore } from "./test_store.ts";

/** Fails if a store without documents has any rows besides jobs, or its file any of the words. */
async function assertEmpty(store: TestStore, words: string[]): Promise<void> {
  const tables = [
    "documents",
    "chunks",
    "chunk_search",
    "tags",
    "document_tags",
    "chunks_fts",
    "chunks_fts_docsize",
    "revisions",
    "trash",
  ];
  for (const table of tables) assertEquals([table, store.count(table)], [table, 0]);
  store.db.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, 'chunks_fts', 'row')");
  assertEquals(store.count("temp.words"), 0);
  store.check();
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const bytes = new TextDecoder("latin1").decode(await Deno.readFile(store.dir.database));
  for (const word of words) assert(!bytes.includes(word), word);
}

/** No trash. */
const retention = { maxRevisions: 20, revisionDays: 90, trashDays: 0 };

Deno.test("without a trash, a deleted document leaves nothing in any table, index or byte of the file", async () => {
  await using store = await TestStore.open({ retention });
  const text = Array.from({ length: 400 }, (_, i) => `quagga${i} grazes`).join("\n\n");
  const { document_id } = store.addNote(`# Xylophone\n${text}`, { tags: ["collection:memory", "vermilion"] });
  store.write("updateNote", Number(document_id), { text: `# Xylophone\n${text} again` });
  const deleted = store.write("deleteDocument", Number(document_id));
  assertEquals(deleted as unknown, { status: "deleted", document_id, title: "Xylophone" });
  assertEquals(purgeStep(store.db), false);
  await assertEmpty(store, ["quagga", "grazes", "Xylophone", "xylophon"]);
});

Deno.test("a long deleted document is not found, and leaves nothing after the purge", async () => {
  await using store = await TestStore.open({ retention });
  const chunks = Array.from({ length: 500 }, (_, i) => draft(`quagga${i} grazes ${i % 7} ${i % 11}`));
  const { document_id } = store.addFile("x", {}, { title: "Xylophone", chunks });
  store.addNote("zebra one");
  store.write("deleteDocument", Number(document_id));
  assertEquals([store.find("quagga7"), store.find("xylophone"), store.find("zebra")], [[], [], [2]]);
  store.check();
  while (contentStep(store.db)) store.check();
  let steps = 0;
  while (purgeStep(store.db)) steps++;
  assert(steps > 0);
  store.check();
  store.write("deleteDocument", 2);
  await assertEmpty(store, ["quagga", "grazes", "Xylophone", "xylophon", "zebra"]);
});

Deno.test("deleting a document keeps other documents and shared tags", async () => {
  await using store = await TestStore.open();
  const one = store.addNote("zebra one", { tags: ["shared", "only"] });
  const two = store.addNote("zebra two", { tags: ["shared"] });
  store.write("deleteDocument", Number(one.document_id));
  assertEquals(store.find("zebra"), [Number(two.document_id)]);
  assertEquals(store.db.prepare("SELECT name FROM tags").all(), [{ name: "shared" }]);
  assertEquals(store.job(one).document_id, one.document_id);
  store.check();
});

Deno.test("the id of a deleted document, chunk or job is never reused", async () => {
  await using store = await TestStore.open({ keptJobs: 0 });
  const add = (text: string) => {
    const job = store.write("createJob", { text, contentHash: sha256(text), sizeBytes: 3, tags: [] });
    store.write("ingestNotes", 1);
    return job.job_id;
  };
  assertEquals(add("one"), 1);
  assertEquals(store.document(1).chunks?.[0]?.chunk_id, 1);
  store.write("deleteDocument", 1);
  assertEquals(["jobs", "documents", "chunks"].map((table) => store.count(table)), [0, 0, 0]);
  assertEquals(add("two"), 2);
  assertEquals(store.document(2).chunks?.[0]?.chunk_id, 2);
});

Deno.test("changing an unknown document is not_found", async () => {
  await using store = await TestStore.open();
  const calls = [
    () => store.write("deleteDocument", 7),
    () => store.write("changeTags", 7, { remove: [], add: [] }),
    () => store.write("updateNote", 7, { text: "x" }),
  ];
  for (const call of calls) {
    assertEquals(assertThrows(call, KnowledgeBaseError, "There is no document 7").code, "not_found");
  }
});

Deno.test("changeTags removes, then adds, and returns the tags", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["a", "b", "collection:documents"] }).document_id);
  const changed = store.write("changeTags", id, {
    remove: ["a", "unknown", "collection:documents"],
    add: ["c", "collection:memory", "c"],
  });
  assertEquals(changed.tags, ["b", "c", "collection:memory"]);
  assertEquals(changed.updated_at, store.document(id).updated_at);
  assertNotEquals(changed.updated_at, null);
  assertEquals(
    store.db.prepare("SELECT count(*) AS n FROM tags WHERE name IN ('a', 'collection:documents')").get(),
    {
      n: 0,
    },
  );
});

Deno.test("changeTags leaves updated_at alone when nothing changes", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["a"] }).document_id);
  assertEquals(store.write("changeTags", id, { remove: ["b"], add: ["a"] }).updated_at, null);
  assertEquals(store.write("changeTags", id, { remove: ["a"], add: ["a"] }).updated_at, null);
  assertEquals(store.document(id).tags, ["a"]);
});

Deno.test("changeTags with remove_prefix removes every tag with that prefix except the added ones", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["b", "colour", "collection:documents"] }).document_id);
  const change = { remove: ["b"], remove_prefix: "collection:", add: ["collection:memory", "a"] };
  const changed = store.write("changeTags", id, change);
  assertEquals(changed.tags, ["a", "collection:memory", "colour"]);
  assertNotEquals(changed.updated_at, null);
  assertEquals(store.write("changeTags", id, change), changed);
  assertEquals(
    store.write("changeTags", id, { remove: [], remove_prefix: "collection:", add: [] }).tags,
    ["a", "colour"],
  );
});

Deno.test("changeTags with remove_prefix leaves updated_at alone when nothing changes", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["collection:memory"] }).document_id);
  const changes = [
    { remove: [], remove_prefix: "collection:", add: ["collection:memory"] },
    { remove: [], remove_prefix: "Collection:", add: [] },
  ];
  for (const change of changes) {
    const { tags, updated_at } = store.write("changeTags", id, change);
    assertEquals([tags, updated_at], [["collection:memory"], null]);
  }
});

Deno.test("changeTags rejects two collections, and keeps the tags", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["collection:documents"] }).document_id);
  const change = { remove: [], remove_prefix: "collection:", add: ["collection:a", "collection:b"] };
  const error = assertThrows(
    () => store.write("changeTags", id, change),
    KnowledgeBaseError,
    "one collection",
  );
  assertEquals(error.code, "invalid");
  assertEquals(store.document(id).tags, ["collection:documents"]);
});

Deno.test("a document has at most 256 tags", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one", { tags: ["a"] }).document_id);
  const add = Array.from({ length: 256 }, (_, i) => `t${i}`);
  const error = assertThrows(
    () => store.write("changeTags", id, { remove: [], add }),
    KnowledgeBaseError,
    "got 257",
  );
  assertEquals(error.code, "invalid");
  assertEquals(store.document(id).tags, ["a"]);
  assertEquals(store.write("changeTags", id, { remove: ["a"], add }).tags.length, 256);
});

Deno.test("updateNote replaces the text and keeps id, tags and a given title", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra", { title: "Animals", tags: ["a"], sourcePath: "p" }).document_id);
  const before = store.document(id);
  const after = store.write("updateNote", id, { text: "quagga" });
  assertEquals(
    [after.document_id, after.title, after.tags, after.source_path, after.created_at, after.content_hash],
    [id, "Animals", ["a"], "p", before.created_at, sha256("quagga")],
  );
  assertNotEquals(after.updated_at, null);
  assertEquals(after.chunks?.map((chunk) => chunk.text), ["quagga"]);
  assertEquals([store.find("zebra"), store.find("quagga"), store.find("animals")], [[], [id], [id]]);
  store.check();
});

Deno.test("updateNote creates the chunks of the new text", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("short").document_id);
  const text = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} says something about subject ${i}.`)
    .join("\n\n");
  const after = store.write("updateNote", id, { text });
  assert((after.chunks?.length ?? 0) > 3);
  assertEquals(after.chunk_count, after.chunks?.length);
  store.check();
});

Deno.test("updateNote derives the title from the new text, until one is given", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("First\nline").document_id);
  assertEquals(store.write("updateNote", id, { text: "Second\nline" }).title, "Second");
  assertEquals(store.write("updateNote", id, { text: "Third\nline", title: "Given" }).title, "Given");
  assertEquals(store.write("updateNote", id, { text: "Fourth\nline" }).title, "Given");
  assertEquals([store.find("title: given"), store.find("title: second")], [[id], []]);
  store.check();
});

Deno.test("updateNote with the same text and title changes nothing", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("Same\nline").document_id);
  const before = store.document(id);
  assertEquals(store.write("updateNote", id, { text: "Same\nline" }), before);
  assertEquals(store.write("updateNote", id, { text: "Same\r\nline", title: "Same" }), before);
  assertNotEquals(store.write("updateNote", id, { text: "Same\nline", title: "New" }).updated_at, null);
});

Deno.test("updateNote rejects other documents, and keeps them unchanged", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addFile("zebra").document_id);
  const before = store.document(id);
  const error = assertThrows(
    () => store.write("updateNote", id, { text: "x" }),
    KnowledgeBaseError,
    "must be a note",
  );
  assertEquals(error.code, "not_a_note");
  assertEquals(store.document(id), before);
});

Deno.test("updateNote without indexable text keeps the old note", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("zebra").document_id);
  const error = assertThrows(() => store.write("updateNote", id, { text: " \n\ufeff" }), KnowledgeBaseError);
  assertEquals(error.code, "invalid");
  assertEquals([store.find("zebra"), store.document(id).updated_at], [[id], null]);
  store.check();
});
