import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { DocumentEdit } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { noteText } from "../../../../src/engine/sqlite/store/note_texts.ts";
import { TestStore } from "./test_store.ts";

/** Asserts that an edit is rejected and changes nothing. Returns the error. */
function rejected(store: TestStore, id: number, edit: DocumentEdit, code: string): KnowledgeBaseError {
  const before = store.document(id);
  const error = assertThrows(() => store.write("editDocument", id, edit), KnowledgeBaseError);
  assertEquals(error.code, code);
  assertEquals(store.document(id), before);
  store.check();
  return error;
}

Deno.test("an edit changes title, tags, path, metadata and text in one version", async () => {
  await using store = await TestStore.open();
  const text = "---\nstatus: draft\nowner: tim\n---\n# Plan\n\nold words\n\n## Costs\n\n10 EUR";
  const id = Number(
    store.addNote(text, { tags: ["collection:memory", "a", "b"], sourcePath: "p" }).document_id,
  );
  const result = store.write("editDocument", id, {
    title: "The plan",
    add_tags: ["c"],
    remove_tags: ["a", "unknown"],
    source_path: "plans/one.md",
    metadata: { status: "done", owner: null, due: "2026-12-01" },
    replace: { old: "old words", new: "new words" },
    section: { heading: "Costs", text: "20 EUR" },
    prepend: "> checked",
    append: "- the end",
  }, { actor: "codex" });
  assertEquals(noteText(store.db, id), "> checked\n# Plan\n\nnew words\n\n## Costs\n\n20 EUR\n- the end");
  const { chunks: _, chunks_total: __, chunks_offset: ___, ...document } = store.document(id);
  assertEquals(result, {
    ...document,
    changed: true,
    restorable_version: 1,
    excerpts: [
      { line: 1, text: "> checked\n# Plan\n\nnew words\n" },
      { line: 7, text: "\n20 EUR\n- the end" },
    ],
  });
  assertEquals([document.title, document.source_path, document.version], ["The plan", "plans/one.md", 2]);
  assertEquals(document.tags, ["b", "c", "collection:memory"]);
  assertEquals(document.metadata, { status: "done", due: "2026-12-01" });
  assertEquals([store.find("old"), store.find("new"), store.find("title:plan")], [[], [id], [id]]);
  assertEquals(store.count("revisions"), 1);
  store.check();
});

Deno.test("files are edited except for their text", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addFile("quarterly figures", { title: "Report" }).document_id);
  const result = store.write("editDocument", id, {
    title: "Annual report",
    add_tags: ["finance"],
    source_path: "reports/2026.pdf",
    metadata: { year: 2026 },
  });
  assertEquals([result.title, result.version, result.excerpts], ["Annual report", 2, undefined]);
  assertEquals([store.find("quarterly"), store.find("title:annual"), store.find("title:report")], [
    [id],
    [id],
    [id],
  ]);
  assertEquals(store.document(id).chunks?.map(({ text, page_start }) => [text, page_start]), [[
    "quarterly figures",
    1,
  ]]);
  const error = rejected(store, id, { append: "x", title: "Other" }, "not_a_note");
  assertStringIncludes(error.message, "only its title, tags, source_path and metadata can be edited");
  store.check();
});

Deno.test("a part that cannot be applied leaves everything as it was", async () => {
  await using store = await TestStore.open();
  const other = Number(
    store.addNote("other", { sourcePath: "taken.md", tags: ["collection:memory"] }).document_id,
  );
  const id = Number(store.addNote("# Plan\n\nyes yes", { tags: ["a"] }).document_id);
  const title = "Changed";
  rejected(store, id, { title, replace: { old: "no", new: "" } }, "invalid");
  rejected(store, id, { title, replace: { old: "yes", new: "" } }, "invalid");
  rejected(store, id, { title, section: { heading: "Costs", text: "" } }, "invalid");
  rejected(store, id, { title, add_tags: ["collection:memory"] }, "invalid");
  rejected(store, id, { title, remove_tags: [" Collection:memory"] }, "invalid");
  rejected(store, id, { title, add_tags: ["x"], remove_tags: ["x"] }, "invalid");
  rejected(store, id, { title, metadata: { long: "x".repeat(70_000) } }, "invalid");
  rejected(store, id, { title, append: "x".repeat(1_000_000) }, "invalid");
  rejected(store, id, { title, replace: { old: "# Plan\n\nyes yes", new: " " } }, "invalid");
  const conflict = rejected(store, id, { title, source_path: "taken.md" }, "conflict");
  assertEquals(conflict.details, {
    document_id: other,
    title: "other",
    doc_type: "note",
    collection: "memory",
    size_bytes: 5,
    version: 1,
  });
  for (const edit of [{}, { add_tags: [] }, { metadata: {}, remove_tags: [] }]) {
    assertStringIncludes(rejected(store, id, edit, "invalid").message, "must change something");
  }
  assertThrows(() => store.write("editDocument", 99, { title }), KnowledgeBaseError, "no document 99");
});

Deno.test("an edit that changes nothing makes no version", async () => {
  await using store = await TestStore.open();
  const id = Number(
    store.addNote("---\nk: 1\n---\nHello world", { tags: ["a"], sourcePath: "p" }).document_id,
  );
  const edits: DocumentEdit[] = [
    { title: "Hello world" },
    { add_tags: ["a"], remove_tags: ["b"] },
    { source_path: "p" },
    { metadata: { k: 1, missing: null } },
    { replace: { old: "Hello", new: "Hello" } },
    { append: "\n" },
  ];
  for (const edit of edits) {
    const { changed, version, restorable_version } = store.write("editDocument", id, edit);
    assertEquals([changed, version, restorable_version], [false, 1, undefined]);
  }
  assertEquals(store.document(id).updated_at, null);
});

Deno.test("a derived title follows the text and the front matter, a given one stays", async () => {
  await using store = await TestStore.open();
  const derived = Number(store.addNote("First line\n\ntext").document_id);
  const edited = (edit: DocumentEdit) => store.write("editDocument", derived, edit).title;
  assertEquals(edited({ prepend: "New line" }), "New line");
  assertEquals(edited({ metadata: { title: "From metadata" } }), "From metadata");
  assertEquals(edited({ append: "more" }), "From metadata");
  assertEquals(edited({ metadata: { title: null } }), "New line");
  assertEquals(edited({ add_tags: ["a"] }), "New line");
  assertEquals(edited({ title: "Given" }), "Given");
  assertEquals(edited({ prepend: "Other line" }), "Given");
  assertEquals(store.find("title:given"), [derived]);
  assertEquals(store.find("title:line"), []);
});

Deno.test("null removes path and metadata", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("---\nk: 1\n---\nText", { sourcePath: "p" }).document_id);
  const { source_path, metadata } = store.write("editDocument", id, {
    source_path: null,
    metadata: { k: null },
  });
  assertEquals([source_path, metadata], [null, null]);
});

Deno.test("the text of an edit is never read as front matter", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("Text").document_id);
  const { metadata, tags } = store.write("editDocument", id, { prepend: "---\ntags: [a]\n---\n" });
  assertEquals([metadata, tags], [null, []]);
  assertEquals(noteText(store.db, id), "---\ntags: [a]\n---\nText");
});

Deno.test("of two edits of the same version, the second is rejected", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("# List").document_id);
  store.write("editDocument", id, { append: "- one" }, { ifVersion: 1 });
  const error = assertThrows(
    () => store.write("editDocument", id, { append: "- two" }, { ifVersion: 1 }),
    KnowledgeBaseError,
  );
  assertEquals(error.code, "version_conflict");
  assertEquals(noteText(store.db, id), "# List\n- one");
});
