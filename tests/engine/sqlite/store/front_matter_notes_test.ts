import { assertEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { getDocument } from "../../../../src/engine/sqlite/store/mod.ts";
import { sha256, TestStore } from "./test_store.ts";

const NOTE =
  "---\ntitle: Tides\ntags: [sea, collection:memory]\nauthor: Ada\n---\n\nHigh water is at noon.\n";

Deno.test("the front matter of a note provides title, tags and metadata, and is not indexed", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(NOTE, { tags: ["collection:documents", "mine"] }).document_id);
  const { title, tags, chunks, content_hash, size_bytes } = store.document(id);
  assertEquals([title, tags], ["Tides", ["collection:documents", "mine", "sea"]]);
  assertEquals(chunks?.map(({ text }) => text), ["High water is at noon."]);
  assertEquals([content_hash, size_bytes], [sha256(NOTE), NOTE.length]);
  assertEquals(store.document(id).metadata, {
    title: "Tides",
    tags: ["sea", "collection:memory"],
    author: "Ada",
  });
  assertEquals([store.find("ada"), store.find("noon")], [[], [id]]);
  store.check();
});

Deno.test("a given title takes precedence over the front matter", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(NOTE, { title: "Given" }).document_id);
  assertEquals(store.document(id).title, "Given");
  assertEquals(store.write("updateNote", id, { text: NOTE.replace("Tides", "Waves") }).title, "Given");
});

Deno.test("without a title in the front matter, the first line after it is the title", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addNote("---\ntags: sea\n---\n# High water\nAt noon.");
  assertEquals(store.document(document_id).title, "High water");
});

Deno.test("dashes around something other than a mapping stay in the text", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addNote("---\nHigh water\n---\nAt noon.");
  assertEquals(store.document(document_id).chunks?.[0]?.text, "---\nHigh water\n---\nAt noon.");
});

Deno.test("updateNote takes title, metadata and additional tags from new front matter", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("Low water", { tags: ["collection:documents", "mine"] }).document_id);
  assertEquals(store.document(id).metadata, null);
  const note = store.write("updateNote", id, { text: NOTE });
  assertEquals([note.title, note.tags], ["Tides", ["collection:documents", "mine", "sea"]]);
  assertEquals([note.content_hash, note.chunks?.length], [sha256(NOTE), 1]);
  assertEquals(note.metadata, { title: "Tides", tags: ["sea", "collection:memory"], author: "Ada" });
  store.check();
});

Deno.test("updateNote without front matter keeps the stored metadata, with its title and tags", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(NOTE).document_id);
  const { metadata, tags } = store.document(id);
  const note = store.write("updateNote", id, { text: "Low water at six." });
  assertEquals([note.title, note.tags, note.metadata], ["Tides", tags, metadata]);
  assertEquals(note.chunks?.map(({ text }) => text), ["Low water at six."]);
  assertEquals(store.document(id), note);
  store.check();
});

Deno.test("updateNote with front matter replaces the stored metadata", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(NOTE).document_id);
  const note = store.write("updateNote", id, { text: "---\nstatus: draft\n---\nLow water" });
  assertEquals([note.title, note.metadata], ["Low water", { status: "draft" }]);
  assertEquals(store.write("updateNote", id, { text: "Neap tide" }).metadata, { status: "draft" });
});

Deno.test("a title derived from text follows the text while the metadata stays", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("---\nstatus: draft\n---\nLow water").document_id);
  const note = store.write("updateNote", id, { text: "High water" });
  assertEquals([note.title, note.metadata], ["High water", { status: "draft" }]);
});

Deno.test("the properties of a file are its metadata, with or without chunks", async () => {
  await using store = await TestStore.open();
  const metadata = { author: "Ada", pages: 3 };
  const id = Number(store.addFile("text", {}, { metadata }).document_id);
  assertEquals(store.document(id).metadata, metadata);
  assertEquals(getDocument(store.db, id, { chunks: false })?.metadata, metadata);
});

Deno.test("a note with only front matter is rejected with advice", async () => {
  await using store = await TestStore.open();
  const only = "---\ntitle: Tides\n---\n";
  const job = store.addNote(only);
  assertEquals([job.status, job.error], [
    "failed",
    "A note must have text, got only front matter: add text below it",
  ]);
  const id = Number(store.addNote("Low water").document_id);
  assertThrows(() => store.write("updateNote", id, { text: only }), KnowledgeBaseError, "only front matter");
  const withMetadata = Number(store.addNote(NOTE).document_id);
  const blank = { text: "\ufeff" };
  assertThrows(() => store.write("updateNote", withMetadata, blank), KnowledgeBaseError, "only white space");
  assertEquals(store.document(id).title, "Low water");
});
