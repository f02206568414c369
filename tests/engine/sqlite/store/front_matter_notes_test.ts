import { assertEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { sha256, TestStore } from "./test_store.ts";

const NOTE =
  "---\ntitle: Tides\ntags: [sea, collection:memory]\nauthor: Ada\n---\n\nHigh water is at noon.\n";

function metadata(store: TestStore, id: number): unknown {
  const row = store.db.prepare("SELECT metadata FROM documents WHERE id = ?").get(id);
  return typeof row?.metadata === "string" ? JSON.parse(row.metadata) : null;
}

Deno.test("the front matter of a note gives title, tags and metadata, and is no text", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(NOTE, { tags: ["collection:documents", "mine"] }).document_id);
  const { title, tags, chunks, content_hash, size_bytes } = store.document(id);
  assertEquals([title, tags], ["Tides", ["collection:documents", "mine", "sea"]]);
  assertEquals(chunks?.map(({ text }) => text), ["High water is at noon."]);
  assertEquals([content_hash, size_bytes], [sha256(NOTE), NOTE.length]);
  assertEquals(metadata(store, id), { title: "Tides", tags: ["sea", "collection:memory"], author: "Ada" });
  assertEquals([store.find("ada"), store.find("noon")], [[], [id]]);
  store.check();
});

Deno.test("a title that is given wins over that of the front matter", async () => {
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

Deno.test("rules of dashes around what is no mapping stay in the text", async () => {
  await using store = await TestStore.open();
  const { document_id } = store.addNote("---\nHigh water\n---\nAt noon.");
  assertEquals(store.document(document_id).chunks?.[0]?.text, "---\nHigh water\n---\nAt noon.");
});

Deno.test("updateNote takes title, metadata and further tags from new front matter", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("Low water", { tags: ["collection:documents", "mine"] }).document_id);
  const note = store.write("updateNote", id, { text: NOTE });
  assertEquals([note.title, note.tags], ["Tides", ["collection:documents", "mine", "sea"]]);
  assertEquals([note.content_hash, note.chunks?.length], [sha256(NOTE), 1]);
  assertEquals(store.write("updateNote", id, { text: "Low water" }).title, "Low water");
  assertEquals(metadata(store, id), null);
  store.check();
});

Deno.test("a note of front matter alone is refused, and says what is missing", async () => {
  await using store = await TestStore.open();
  const only = "---\ntitle: Tides\n---\n";
  const job = store.addNote(only);
  assertEquals([job.status, job.error], [
    "failed",
    "A note must have text, got only front matter: write something under it",
  ]);
  const id = Number(store.addNote("Low water").document_id);
  assertThrows(() => store.write("updateNote", id, { text: only }), KnowledgeBaseError, "only front matter");
  assertEquals(store.document(id).title, "Low water");
});
