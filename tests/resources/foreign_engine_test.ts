import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { foreignEngine } from "../support/foreign_engine.ts";
import { type Harness, openHarness } from "../support/harness.ts";
import { completeValues, readMarkdown, refusalOf } from "../support/reading.ts";

function withForeignEngine(name: string, play: (kb: Harness) => Promise<void>): void {
  Deno.test(`over an engine from elsewhere, ${name}`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: foreignEngine() });
    await play(kb);
  });
}

withForeignEngine("a document without offsets keeps its chunks in order and apart", async (kb) => {
  const id = await kb.note({ text: "first line\nsecond line\nsecond line", collection: "memory" });
  const text = await readMarkdown(kb, `kb://documents/${id}`);
  assertMatch(text, /^# Document doc-1\n\n- Collection: \[memory\]/);
  assertEquals(text.split("\n---\n\n")[1], "first line\n\nsecond line\n\nsecond line\n");
});

withForeignEngine("a chunk is cut out of all chunks, and one beyond the end is missing", async (kb) => {
  const id = await kb.note({ text: "first line\nsecond line" });
  const text = await readMarkdown(kb, `kb://documents/${id}~slug/chunks/1`);
  assertStringIncludes(
    text,
    "chunk 1 of 2 (counted from 0)\n\n---\n\nsecond line\n\n---\n\n[Previous: chunk 0]",
  );
  assertMatch(await refusalOf(kb, `kb://documents/${id}/chunks/2`), /has 2, from 0 to 1/);
  assertMatch(await refusalOf(kb, `kb://documents/nobody`), /no document "nobody"/);
});

withForeignEngine("what cannot be seen of a text is not read", async (kb) => {
  const id = await kb.note({ text: "first\u202e li\u{e0068}ne\nsecond\u200b line" });
  assertStringIncludes(await readMarkdown(kb, `kb://documents/${id}`), "\n\nfirst line\n\nsecond line\n");
  assertStringIncludes(await readMarkdown(kb, `kb://documents/${id}/chunks/1`), "\n\nsecond line\n");
});

withForeignEngine("an inventory holds only what has the collection's tag", async (kb) => {
  const id = await kb.note({ text: "mine", collection: "memory" });
  await kb.note({ text: "other", collection: "workspace" });
  const text = await readMarkdown(kb, "kb://collections/memory");
  assertEquals(text.match(/^- .*$/gm), [`- [Document ${id}](kb://documents/${id}) — note`]);
});

withForeignEngine("ids that are strings are completed, and so are their chunks", async (kb) => {
  const id = String(await kb.note({ text: "one\ntwo\nthree" }));
  assertEquals(await completeValues(kb, "kb://documents/{id}", "id", "DOC-"), [id]);
  assertEquals(await completeValues(kb, "kb://documents/{id}/chunks/{n}", "n", "", { id }), ["0", "1", "2"]);
});

withForeignEngine("the status leaves out what the engine does not say", async (kb) => {
  const text = await readMarkdown(kb, "kb://status");
  assertStringIncludes(text, "| version | 3.1.4 |");
  assertEquals(/Collection|Storage|undefined/.test(text), false);
});

Deno.test("an id with a tilde of its own is read when nothing has its first part", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    handler: (request) =>
      new URL(request.url).pathname.endsWith("/a~b")
        ? Response.json({ document_id: "a~b", title: "Tilde", doc_type: "note", tags: [], chunks: [] })
        : Response.json({ detail: [{ loc: ["path", "id"], msg: "not an integer" }] }, { status: 422 }),
  });
  assertMatch(await readMarkdown(kb, "kb://documents/a~b"), /^# Tilde\n[^]*This document has no text/);
  assertMatch(await refusalOf(kb, "kb://documents/c~d"), /no document "c"/);
});
