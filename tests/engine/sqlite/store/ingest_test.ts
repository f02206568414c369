import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { type JobFields, sha256, TestStore } from "./test_store.ts";

Deno.test("an ingested note can be found, and its job is done", async () => {
  await using store = await TestStore.open();
  const job = store.addNote("# Kettle\nIt is in the cupboard.", { tags: ["collection:memory", "home"] });
  assertEquals([job.status, job.outcome, job.progress, job.stage], ["done", "created", 1, "finished"]);
  const note = store.document(job.document_id);
  assertEquals(
    [note.title, note.doc_type, note.tags, note.updated_at],
    ["Kettle", "note", ["collection:memory", "home"], null],
  );
  assertEquals(note.content_hash, sha256("# Kettle\nIt is in the cupboard."));
  assertEquals(note.chunks?.length, note.chunks_total);
  assertEquals(store.find("cupboard"), [note.document_id]);
  store.check();
});

Deno.test("a note's title is the given one, else its first line", async () => {
  await using store = await TestStore.open();
  assertEquals(store.document(store.addNote("one\ntwo", { title: "Given" }).document_id).title, "Given");
  assertEquals(store.document(store.addNote("\n\n## First line\ntwo").document_id).title, "First line");
});

Deno.test("a file's title is the job's, else the extracted one, else the file's name", async () => {
  await using store = await TestStore.open();
  const title = (text: string, fields: JobFields, extracted: string | undefined) =>
    store.document(
      store.addFile(text, fields, extracted === undefined ? {} : { title: extracted }).document_id,
    ).title;
  assertEquals(title("one", { title: "Given" }, "Extracted"), "Given");
  assertEquals(title("two", {}, " Extra\u0000cted\n title "), "Extra cted title");
  assertEquals(title("three", {}, undefined), "report.pdf");
  assertEquals(title("four", {}, " \n"), "report.pdf");
  assert(title("five", {}, "😀".repeat(1000))?.isWellFormed());
});

Deno.test("an ended job has no text and no spool file", async () => {
  await using store = await TestStore.open();
  store.addNote("note");
  store.addFile("file");
  assertEquals(
    store.db.prepare("SELECT text, spool_file FROM jobs").all(),
    [{ text: null, spool_file: null }, { text: null, spool_file: null }],
  );
});

Deno.test("the same note is a duplicate: tags are merged, the collection changes, nothing is stored twice", async () => {
  await using store = await TestStore.open();
  const first = store.addNote("same", { tags: ["collection:documents", "a"] });
  const second = store.addNote("same", { tags: ["collection:memory", "b"], title: "Other" });
  assertEquals([second.outcome, second.document_id], ["duplicate", first.document_id]);
  const note = store.document(first.document_id);
  assertEquals([note.title, note.tags], ["same", ["a", "b", "collection:memory"]]);
  assertNotEquals(note.updated_at, null);
  assertEquals([store.count("documents"), store.count("chunks")], [1, 1]);
  store.check();
});

Deno.test("a duplicate without new tags keeps updated_at", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addNote("same", { tags: ["collection:documents", "a"] });
  store.addNote("same", { tags: ["collection:documents"] });
  store.addNote("same");
  assertEquals(store.document(document_id).updated_at, null);
});

Deno.test("a note with other line ends is the same note", async () => {
  await using store = await TestStore.open();
  store.addNote("one\ntwo");
  assertEquals(store.addNote("one\r\ntwo").outcome, "duplicate");
});

Deno.test("a note and a file with the same bytes are two documents", async () => {
  await using store = await TestStore.open();
  assertEquals(store.addNote("same").outcome, "created");
  assertEquals(store.addFile("same").outcome, "created");
  assertEquals(store.addFile("same").outcome, "duplicate");
  assertEquals(store.count("documents"), 2);
});

Deno.test("a duplicate sets a missing source_path, and keeps an existing one", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addFile("same");
  store.addFile("same", { sourcePath: "a.pdf" });
  assertEquals(store.document(document_id).source_path, "a.pdf");
  const updated = store.document(document_id).updated_at;
  assertNotEquals(updated, null);
  assertEquals(store.addFile("same", { sourcePath: "b.pdf" }).outcome, "duplicate");
  assertEquals([store.document(document_id).source_path, store.document(document_id).updated_at], [
    "a.pdf",
    updated,
  ]);
});

Deno.test("new content at the same source_path replaces the old and keeps the id", async () => {
  await using store = await TestStore.open();
  const first = store.addFile("zebra", { sourcePath: "a", tags: ["collection:documents", "x"] }, {
    title: "Stripes",
  });
  const before = store.document(first.document_id);
  const second = store.addFile("quagga", { sourcePath: "a", tags: ["collection:documents", "y"] }, {
    title: "Half",
    docType: "docx",
  });
  assertEquals([second.outcome, second.document_id], ["replaced", first.document_id]);
  assertEquals(second.restorable_version, 1);
  const after = store.document(first.document_id);
  assertEquals([after.title, after.doc_type, after.tags], ["Half", "docx", [
    "collection:documents",
    "x",
    "y",
  ]]);
  assertEquals([after.created_at, after.content_hash], [before.created_at, sha256("quagga")]);
  assertNotEquals(after.updated_at, null);
  assertNotEquals(after.chunks?.[0]?.chunk_id, before.chunks?.[0]?.chunk_id);
  assertEquals([store.find("zebra"), store.find("stripes")], [[], []]);
  assertEquals([store.find("quagga"), store.find("half")], [[after.document_id], [after.document_id]]);
  store.check();
});

Deno.test("the same content at the same source_path is a duplicate", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addFile("same", { sourcePath: "a" });
  assertEquals(store.addFile("same", { sourcePath: "a" }).outcome, "duplicate");
  assertEquals(store.document(document_id).updated_at, null);
});

Deno.test("a document at the source_path of another kind or collection is a conflict, and stays", async () => {
  await using store = await TestStore.open();
  const { document_id: id } = store.addFile("a long manual", {
    sourcePath: "a",
    tags: ["collection:documents"],
  });
  const before = store.document(id);
  const jobs = [
    store.addNote("a long manual", { sourcePath: "a" }),
    store.addNote("short", { sourcePath: "a", tags: ["collection:documents"] }),
    store.addFile("other", { sourcePath: "a", tags: ["collection:memory"] }),
  ];
  for (const job of jobs) {
    assertEquals([job.status, job.error_code, job.document_id, job.outcome], [
      "failed",
      "conflict",
      null,
      null,
    ]);
    assertMatch(job.error ?? "", /Document 1 has the source_path "a".*Nothing was changed/);
    assertEquals(job.conflict, {
      document_id: id ?? 0,
      title: "report.pdf",
      doc_type: "pdf",
      collection: "documents",
      size_bytes: 13,
      version: 1,
    });
  }
  assertEquals(store.document(id), before);
  assertEquals([store.count("documents"), store.count("revisions")], [1, 0]);
});

Deno.test("a conflict fails its own job only", async () => {
  await using store = await TestStore.open();
  store.addFile("file", { sourcePath: "a" });
  const create = (text: string, sourcePath: string) =>
    store.write("createJob", {
      text,
      contentHash: sha256(text),
      sizeBytes: text.length,
      tags: [],
      sourcePath,
    });
  const jobs = [create("one", "b"), create("two", "a"), create("three", "c")];
  store.write("ingestNotes", 10);
  assertEquals(jobs.map((job) => store.job(job).status), ["done", "failed", "done"]);
});

Deno.test("with overwrite, a document of any kind and collection is replaced, and can be restored", async () => {
  await using store = await TestStore.open();
  const { document_id: id } = store.addFile("zebra", { sourcePath: "a", tags: ["collection:documents"] });
  const before = store.document(id);
  const job = store.addNote("quagga", { sourcePath: "a", tags: ["collection:memory"], overwrite: true });
  assertEquals(
    [job.outcome, job.document_id, job.moved_from, job.restorable_version],
    ["replaced", id, "documents", 1],
  );
  const after = store.document(id);
  assertEquals([after.doc_type, after.tags, after.version], ["note", ["collection:memory"], 2]);
  const restored = store.write("restoreDocument", Number(id), { version: job.restorable_version ?? 0 });
  assertEquals([restored.doc_type, restored.tags, restored.content_hash], [
    "pdf",
    ["collection:documents"],
    before.content_hash,
  ]);
  store.check();
});

Deno.test("with addOnly, no stored document changes: another one at the path is a conflict, a duplicate stays", async () => {
  await using store = await TestStore.open();
  const note = store.addNote("note", { sourcePath: "a", tags: ["collection:memory"] }).document_id;
  const file = store.addFile("file", { tags: ["collection:documents"] }).document_id;
  const before = [store.document(note), store.document(file)];
  const fields = { tags: ["collection:workspace", "x"], addOnly: true };
  const conflicts = [
    store.addNote("other", { ...fields, sourcePath: "a" }),
    store.addNote("other", { ...fields, tags: [], sourcePath: "a" }),
    store.addFile("other", { ...fields, sourcePath: "a" }),
  ];
  for (const job of conflicts) {
    assertEquals([job.status, job.error_code, job.conflict?.document_id], ["failed", "conflict", note]);
    assertMatch(job.error ?? "", /sent with add_only: use another source_path$/);
  }
  const duplicates = [
    store.addNote("note", { ...fields, sourcePath: "a" }),
    store.addNote("note", fields),
    store.addFile("file", { ...fields, sourcePath: "b" }),
  ];
  assertEquals(duplicates.map(({ outcome, moved_from }) => [outcome, moved_from]), [
    ["duplicate", undefined],
    ["duplicate", undefined],
    ["duplicate", undefined],
  ]);
  assertEquals([store.document(note), store.document(file)], before);
  assertEquals([store.count("documents"), store.count("revisions")], [2, 0]);
  const { outcome, document_id } = store.addNote("new", { ...fields, sourcePath: "c" });
  assertEquals([outcome, store.document(document_id).tags], ["created", ["collection:workspace", "x"]]);
  store.check();
});

Deno.test("a document moves only to a collection that is named", async () => {
  await using store = await TestStore.open();
  const { document_id: id } = store.addNote("same", { tags: ["collection:memory"], sourcePath: "a" });
  const collectionAfter = (text: string, fields: JobFields) => {
    const { outcome, moved_from } = store.addNote(text, fields);
    return [outcome, moved_from, store.document(id).tags];
  };
  const documents = ["collection:documents"];
  const stays = { tags: documents, keepCollection: true };
  assertEquals(collectionAfter("same", stays), ["duplicate", undefined, ["collection:memory"]]);
  assertEquals(collectionAfter("same", { tags: ["x"] }), ["duplicate", undefined, [
    "collection:memory",
    "x",
  ]]);
  const replaced = collectionAfter("new", { ...stays, sourcePath: "a" });
  assertEquals(replaced, ["replaced", undefined, ["collection:memory", "x"]]);
  assertEquals(collectionAfter("new", { tags: documents }), ["duplicate", "memory", [...documents, "x"]]);
  assertEquals(store.document(id).source_path, "a");
});

Deno.test("a new document gets the default collection, and so does one without any", async () => {
  await using store = await TestStore.open();
  const fields = { tags: ["collection:documents"], keepCollection: true };
  const tags = (text: string) => store.document(store.addNote(text, fields).document_id).tags;
  assertEquals(tags("one"), ["collection:documents"]);
  store.addNote("two");
  assertEquals(tags("two"), ["collection:documents"]);
});

Deno.test("a job's author is the author of its change", async () => {
  await using store = await TestStore.open();
  const { document_id: id } = store.addNote("one", { sourcePath: "a", actor: "cursor" });
  store.addNote("two", { sourcePath: "a", actor: "codex" });
  const error = assertThrows(
    () => store.write("updateNote", Number(id), { text: "three" }, { ifVersion: 1 }),
    KnowledgeBaseError,
  );
  assertEquals((error.details as { changed_by: unknown }).changed_by, "codex");
  assertEquals(store.db.prepare("SELECT changed_by FROM revisions").all(), [{ changed_by: "codex" }]);
});

Deno.test("tags found in a document are added, but cannot choose its collection", async () => {
  await using store = await TestStore.open();
  const job = store.addFile("one", { tags: ["collection:memory"] }, {
    tags: ["own", "collection:workspace"],
  });
  assertEquals(store.document(job.document_id).tags, ["collection:memory", "own"]);
});

Deno.test("a document cannot choose its collection by another spelling of the tag", async () => {
  await using store = await TestStore.open();
  const spelled = ["COLLECTION:workspace", " collection:x", "\u00a0Collection:y"];
  const job = store.addFile("one", { tags: ["collection:memory", "Collection:z"] }, {
    tags: ["own", ...spelled],
  });
  assertEquals(store.document(job.document_id).tags, ["collection:memory", "own"]);
});

Deno.test("the first of several requested collections is used", async () => {
  await using store = await TestStore.open();
  const job = store.addNote("one", { tags: ["collection:memory", "collection:workspace"] });
  assertEquals(store.document(job.document_id).tags, ["collection:memory"]);
});

Deno.test("text with NUL, lone surrogates and every script is stored, indexed and read back well-formed", async () => {
  await using store = await TestStore.open();
  const job = store.addNote("a\u0000b Straße \ud800 東京 👩‍🚀 e\u0301", {
    title: "T\u0000\ud800",
    tags: ["東京"],
  });
  const note = store.document(job.document_id);
  assertEquals(note.title, "T\ufffd\ufffd");
  assertEquals(note.chunks?.[0]?.text, "a\ufffdb Straße \ufffd 東京 👩‍🚀 é");
  assertEquals(store.find("strasse"), [note.document_id]);
  store.check();
});

Deno.test("a note that cannot be stored fails its own job only", async () => {
  await using store = await TestStore.open();
  const tags = Array.from({ length: 64 }, (_, i) => `t${i}`);
  for (let i = 0; i < 4; i++) store.addNote("crowded", { tags: tags.map((tag) => `${i}${tag}`) });
  const create = (text: string, more: string[]) =>
    store.write("createJob", { text, contentHash: sha256(text), sizeBytes: text.length, tags: more });
  const jobs = [create("good", []), create("crowded", ["one more"]), create("also good", [])];
  assertEquals(store.write("ingestNotes", 10), { queuedNotes: 0, queuedFiles: 0 });
  const ended = jobs.map((job) => store.job(job));
  assertEquals(ended.map((job) => job.status), ["done", "failed", "done"]);
  assertMatch(ended[1]?.error ?? "", /at most 256 tags, got 257/);
  assertEquals(store.document(1).tags.length, 256);
  store.check();
});

Deno.test("metadata and chunk positions are stored", async () => {
  await using store = await TestStore.open();
  const job = store.addFile("text", {}, {
    metadata: { author: "Ada" },
    chunks: [{
      text: "text",
      headingPath: ["One", "Two"],
      charStart: 3,
      charEnd: 7,
      lineStart: 2,
      lineEnd: 4,
      pageStart: 5,
      pageEnd: undefined,
    }],
  });
  assertEquals(store.db.prepare("SELECT metadata FROM documents").get(), { metadata: '{"author":"Ada"}' });
  const { chunk_id: _, ...fields } = store.document(job.document_id).chunks?.[0] ?? { chunk_id: 0 };
  assertEquals(fields as unknown, {
    index: 0,
    text: "text",
    heading_path: ["One", "Two"],
    page_start: 5,
    page_end: null,
    line_start: 2,
    line_end: 4,
    char_start: 3,
    char_end: 7,
  });
  assertEquals(store.find("heading: two"), [Number(job.document_id)]);
});
