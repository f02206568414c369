import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbEdit } from "../../src/tools/kb_edit.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { samplePdf } from "../support/samples.ts";
import { scenario } from "../support/scenario.ts";

const LONG_NOTE = Array.from({ length: 80 }, (_, i) => `## Day ${i}\n\nOn day ${i}, the garden was watered.`)
  .join("\n\n");

scenario(
  "Edit tool / Change part of a note: one engine call, and only the changed lines come back",
  async (kb) => {
    const id = await kb.note({ text: LONG_NOTE, collection: "memory", tags: ["garden", "draft"] });
    await kb.engine.status();
    kb.calls.length = 0;
    const output = await kb.call(kbEdit, {
      document_id: id,
      title: "Garden diary",
      add_tags: ["diary"],
      remove_tags: ["draft"],
      metadata: { year: 2026 },
      replace: { old: "On day 7, the garden was watered.", new: "On day 7, it rained." },
      section: { heading: "Day 40", text: "Nobody was there." },
      append: "\n## Day 80\n\nHarvest.",
    });
    assertEquals(kb.paths(), [`PATCH /api/v1/documents/${id}`]);
    assertEquals([output.outcome, output.version, output.restorable_version], ["edited", 2, 1]);
    assertEquals([output.title, output.collection, output.tags], ["Garden diary", "memory", [
      "diary",
      "garden",
    ]]);
    assertEquals(output.metadata, { year: 2026 });
    assertEquals(output.excerpts, [
      { line: 30, text: "\nOn day 7, it rained.\n" },
      { line: 162, text: "\nNobody was there.\n" },
      { line: 320, text: "\n## Day 80\n\nHarvest." },
    ]);
    assert(JSON.stringify(output).length < 1000, "the note does not come back");
    const found = await kb.call(kbSearch, { query: "harvest diary", collection: "memory" });
    assertEquals(String(found.results[0]?.document_id), String(id));
  },
);

scenario("Edit tool / Edit a PDF: title, tags, path and metadata, but not its text", async (kb) => {
  const job = await kb.engine.job(await kb.job("report.pdf", samplePdf(["Quarterly figures"])));
  const id = job.document_id;
  assert(id);
  const output = await kb.call(kbEdit, {
    document_id: id,
    title: "Annual report",
    add_tags: ["finance"],
    source_path: "reports/2026.pdf",
    metadata: { year: 2026 },
  });
  assertEquals([output.outcome, output.title, output.source_path], [
    "edited",
    "Annual report",
    "reports/2026.pdf",
  ]);
  const { chunks } = await kb.call(kbGet, { document_id: id, chunks: true });
  assertStringIncludes(String((chunks as { text: string }[])[0]?.text), "Quarterly figures");
  const error = await assertRejects(() => kb.call(kbEdit, { document_id: id, append: "x" }), EngineError);
  assertEquals(error.code, "not_a_note");
  assertStringIncludes(error.message, "its text cannot be edited");
});

scenario(
  "Edit tool / A part that does not match: the error says what to send, and nothing changes",
  async (kb) => {
    const id = await kb.note({ text: "# Plan\n\nMeet on Monday.\n\n## Risks\n\nRain." });
    const cases: [edit: Record<string, unknown>, message: string][] = [
      [{ replace: { old: "Meet on Tuesday.", new: "" } }, 'The closest line is line 3: "Meet on Monday."'],
      [{ replace: { old: "n", new: "" } }, "include more of the text around it"],
      [{ section: { heading: "Costs", text: "" } }, 'Its headings are "# Plan", "## Risks"'],
      [{}, "must change something"],
      [{ append: "x", add_tags: ["collection:memory"] }, "kb_set_collection moves a document"],
      [{ append: "x", title: "t".repeat(501) }, "title must"],
    ];
    for (const [edit, message] of cases) {
      const error = await assertRejects(() => kb.call(kbEdit, { document_id: id, ...edit }), Error);
      assertStringIncludes(error.message, message);
    }
    const { version, chunks } = await kb.engine.document(id);
    assertEquals([version, chunks?.[0]?.text], [1, "# Plan\n\nMeet on Monday.\n\n## Risks\n\nRain."]);
  },
);

scenario("Edit tool / A stale version or a taken path: a conflict as a normal result", async (kb) => {
  const other = await kb.note({ text: "Other", source_path: "other.md", collection: "memory" });
  const id = await kb.note({ text: "# List" });
  await kb.call(kbEdit, { document_id: id, append: "- one", if_version: 1 });
  const stale = await kb.call(kbEdit, { document_id: id, append: "- two", if_version: 1 });
  assertEquals([stale.outcome, String(stale.document_id), stale.version], ["conflict", String(id), 2]);
  assertStringIncludes(String(stale.next), "Nothing was changed");
  const taken = await kb.call(kbEdit, { document_id: id, source_path: "other.md", append: "- two" });
  assertEquals([taken.outcome, String(taken.document_id)], ["conflict", String(id)]);
  assertEquals(taken.conflict, {
    document_id: other,
    title: "Other",
    doc_type: "note",
    collection: "memory",
    size_bytes: 5,
    version: 1,
  });
  assertEquals((await kb.engine.document(id)).chunks?.[0]?.text, "# List\n- one");
});

scenario("Edit tool / Nothing is different afterwards: unchanged, without a new version", async (kb) => {
  const id = await kb.note({ text: "Text", tags: ["a"] });
  const output = await kb.call(kbEdit, {
    document_id: id,
    add_tags: [" a "],
    replace: { old: "Text", new: "Text" },
  });
  assertEquals([output.outcome, output.version, output.excerpts], ["unchanged", 1, undefined]);
});
