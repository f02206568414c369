import { assert, assertEquals } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { openHarness } from "../support/harness.ts";

Deno.test("kb_get returns a long document in pages", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = Array.from(
    { length: 400 },
    (_, i) => `## Part ${i}\n\n${`Sentence ${i} of many. `.repeat(20)}`,
  );
  const id = await kb.note({ text: text.join("\n\n") });
  const whole = await kb.call(kbGet, { document_id: id, limit: 1000 });
  assert((whole.chunks_total ?? 0) > 50);
  assertEquals([whole.chunks?.length, whole.next_offset], [whole.chunks_total, undefined]);

  const first = await kb.call(kbGet, { document_id: id });
  assertEquals([first.chunks?.length, first.next_offset, first.chunks_total], [20, 20, whole.chunks_total]);
  const ids = first.chunks?.map(({ chunk_id }) => chunk_id) ?? [];
  for (let offset = first.next_offset; offset !== undefined;) {
    const page: Awaited<ReturnType<typeof kbGet.run>> = await kb.call(kbGet, { document_id: id, offset });
    ids.push(...page.chunks?.map(({ chunk_id }) => chunk_id) ?? []);
    offset = page.next_offset;
  }
  assertEquals(ids, whole.chunks?.map(({ chunk_id }) => chunk_id));
});

Deno.test("kb_get omits the text with chunks: false", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Long text.", source_path: "a.md", title: "A" });
  for (const args of [{ document_id: id }, { source_path: "a.md" }]) {
    const output = await kb.call(kbGet, { ...args, chunks: false });
    const document = output.documents?.[0] ?? output;
    assertEquals([document["title"], document["chunks"]], ["A", undefined]);
  }
});

Deno.test("kb_get returns no documents for an unknown source path", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const output = await kb.call(kbGet, { source_path: "nothing/here.md" });
  assertEquals([output.documents, output.total], [[], 0]);
});

Deno.test("kb_addnote sends no further request for a created note", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.call(kbAddNote, { text: "Brand new." });
  assertEquals(kb.paths().filter((path) => path.includes("/documents")), []);
});

Deno.test("a document in an output has no hash", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Hashed.", source_path: "a.md" });
  assert((await kb.engine.document(id)).content_hash);
  const outputs = [
    await kb.call(kbGet, { document_id: id }),
    await kb.call(kbGet, { document_id: id, chunks: false }),
    ...(await kb.call(kbGet, { source_path: "a.md" })).documents ?? [],
    await kb.call(kbUpdateNote, { document_id: id, text: "Hashed again." }),
  ];
  assertEquals(outputs.map((output) => "content_hash" in output), [false, false, false, false]);
});
