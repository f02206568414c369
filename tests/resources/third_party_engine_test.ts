import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { thirdPartyEngine } from "../support/third_party_engine.ts";
import { type Harness, openHarness } from "../support/harness.ts";
import { completeValues, readError, readMarkdown } from "../support/read_resource.ts";

function testWithThirdPartyEngine(name: string, test: (kb: Harness) => Promise<void>): void {
  Deno.test(`with a third-party engine, ${name}`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
    await test(kb);
  });
}

testWithThirdPartyEngine("chunks without offsets are joined as paragraphs", async (kb) => {
  const id = await kb.note({ text: "first line\nsecond line\nsecond line", collection: "memory" });
  const text = await readMarkdown(kb, `kb://documents/${id}`);
  assertMatch(text, /^# Document doc-1\n\n- Collection: \[memory\]/);
  assertEquals(text.split("\n---\n\n")[1], "first line\n\nsecond line\n\nsecond line\n");
});

testWithThirdPartyEngine(
  "a chunk is selected from all chunks, and one beyond the end is missing",
  async (kb) => {
    const id = await kb.note({ text: "first line\nsecond line" });
    const text = await readMarkdown(kb, `kb://documents/${id}~slug/chunks/1`);
    assertStringIncludes(
      text,
      "chunk 1 of 2 (counted from 0)\n\n---\n\nsecond line\n\n---\n\n[Previous: chunk 0]",
    );
    assertMatch(await readError(kb, `kb://documents/${id}/chunks/2`), /has 2, from 0 to 1/);
    assertMatch(await readError(kb, `kb://documents/nobody`), /no document "nobody"/);
  },
);

testWithThirdPartyEngine("hidden characters are removed", async (kb) => {
  const id = await kb.note({ text: "first\u202e li\u{e0068}ne\nsecond\u200b line" });
  assertStringIncludes(await readMarkdown(kb, `kb://documents/${id}`), "\n\nfirst line\n\nsecond line\n");
  assertStringIncludes(await readMarkdown(kb, `kb://documents/${id}/chunks/1`), "\n\nsecond line\n");
});

testWithThirdPartyEngine("a collection lists only documents with its tag", async (kb) => {
  const id = await kb.note({ text: "mine", collection: "memory" });
  await kb.note({ text: "other", collection: "workspace" });
  const text = await readMarkdown(kb, "kb://collections/memory");
  assertEquals(text.match(/^- .*$/gm), [`- [Document ${id}](kb://documents/${id}) — note`]);
});

testWithThirdPartyEngine("string ids and their chunk indexes are completed", async (kb) => {
  const id = String(await kb.note({ text: "one\ntwo\nthree" }));
  assertEquals(await completeValues(kb, "kb://documents/{id}", "id", "DOC-"), [id]);
  assertEquals(await completeValues(kb, "kb://documents/{id}/chunks/{n}", "n", "", { id }), ["0", "1", "2"]);
});

testWithThirdPartyEngine("the status omits values that the engine does not report", async (kb) => {
  const text = await readMarkdown(kb, "kb://status");
  assertStringIncludes(text, "| version | 3.1.4 |");
  assertEquals(/Collection|Storage|undefined/.test(text), false);
});

Deno.test("an id that contains a tilde is read if no document has the part before it", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    handler: (request) =>
      new URL(request.url).pathname.endsWith("/a~b")
        ? Response.json({ document_id: "a~b", title: "Tilde", doc_type: "note", tags: [], chunks: [] })
        : Response.json({ detail: [{ loc: ["path", "id"], msg: "not an integer" }] }, { status: 422 }),
  });
  assertMatch(await readMarkdown(kb, "kb://documents/a~b"), /^# Tilde\n[^]*This document has no text/);
  assertMatch(await readError(kb, "kb://documents/c~d"), /no document "c"/);
});
