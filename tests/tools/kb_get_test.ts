import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type * as z from "zod";
import { EngineError } from "../../src/client/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { type Harness, openHarness } from "../support/harness.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";

type KbGetOutput = z.infer<typeof kbGet.output>;

const PARTS = Array.from(
  { length: 400 },
  (_, i) => `## Part ${i}\n\n${`Sentence ${i} of many. `.repeat(20).trim()}`,
);

/** Reads a document to its end. */
async function readPages(kb: Harness, args: Record<string, unknown>) {
  const pages: KbGetOutput[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: KbGetOutput = await kb.call(kbGet, { ...args, offset });
    pages.push(page);
    offset = page.next_offset;
  }
  return pages;
}

const textOf = (pages: readonly KbGetOutput[]) =>
  pages.flatMap(({ chunks = [] }) => chunks).map(({ text }) => text).join("");

Deno.test("kb_get returns a long document in pages, whose texts are the document's", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = PARTS.join("\n\n");
  const id = await kb.note({ text });
  const [first, ...rest] = await readPages(kb, { document_id: id });
  assertEquals([first?.chunks?.[0]?.index, first?.next_offset], [0, 20]);
  assertEquals(rest[0]?.chunks?.[0]?.index, 20);
  assert((first?.chunks_total ?? 0) > 50);
  assertEquals(textOf([first!, ...rest]), text);
  for (const args of [{ limit: 1000 }, { limit: 7 }, { max_tokens: 1000 }, { max_tokens: 3000 }]) {
    assertEquals(textOf(await readPages(kb, { document_id: id, ...args })), text, JSON.stringify(args));
  }
});

Deno.test("kb_get returns a note as it was written, with the white space between its chunks", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const spaces = [
    "\n\n",
    "  \n\n",
    "\n \n",
    "\t\n\n",
    "\n\n\t",
    "\n\n    ",
    "\n\u00a0\n\n",
    "\n".repeat(90),
    "\n\n\n",
  ];
  const text = `    code\n\n${PARTS.map((part, i) => part + spaces[i % spaces.length]).join("").trimEnd()}`;
  const id = await kb.note({ text });
  for (const args of [{ limit: 1000 }, { limit: 7 }, { max_tokens: 1000 }]) {
    assertEquals(textOf(await readPages(kb, { document_id: id, ...args })), text, JSON.stringify(args));
  }
  const around = await kb.call(kbGet, { document_id: id, around: 100, limit: 30 });
  assertStringIncludes(text, textOf([around]));
  // More white space than a small answer may have.
  const apart = await kb.note({ text: `${PARTS[0]}${" ".repeat(100_000)}\n\n${PARTS[1]}` });
  assertEquals(textOf(await readPages(kb, { document_id: apart })), `${PARTS[0]}\n\n${PARTS[1]}`);
});

Deno.test("kb_get repeats no details on further pages", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: PARTS.join("\n\n"), title: "Parts", source_path: "a.md", tags: ["a"] });
  const fields = async (args: Record<string, unknown>) =>
    Object.keys(await kb.call(kbGet, { document_id: id, ...args }));
  assertEquals((await fields({})).includes("source_path"), true);
  assertEquals((await fields({ around: 30 })).includes("source_path"), true);
  const further = (await fields({ offset: 20 })).filter((name) => name !== "version");
  assertEquals(further, ["document_id", "chunks", "chunks_total", "next_offset", "title"]);
});

Deno.test("kb_get reads around a chunk, and returns all of a short document", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: PARTS.join("\n\n") });
  const page = await kb.call(kbGet, { document_id: id, around: 50, max_tokens: 1500 });
  const first = page.chunks?.[0]?.index ?? 99;
  assert(first < 50 && first > 40 && Number(page.next_offset) > 51, `${first} ${page.next_offset}`);
  assert(encode(JSON.stringify(page)).length <= 1500);
  const few = await kb.call(kbGet, { document_id: id, around: 50, limit: 3 });
  assertEquals([few.chunks?.[0]?.index, few.next_offset], [49, 52]);
  const short = await kb.note({ text: "Short." });
  assertEquals((await kb.call(kbGet, { document_id: short, around: 0 })).chunks?.map(({ text }) => text), [
    "Short.",
  ]);
  await assertRejects(
    () => kb.call(kbGet, { document_id: short, around: 1 }),
    ToolError,
    "below chunks_total, which is 1",
  );
  await assertRejects(
    () => kb.call(kbGet, { document_id: id, around: 1, offset: 1 }),
    ToolError,
    "must not be given together",
  );
});

Deno.test("kb_get returns the outline of a document", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: PARTS.slice(0, 30).join("\n\n") });
  const { outline, chunks, chunks_total } = await kb.call(kbGet, { document_id: id, outline: true });
  const entries = outline as { index: number; heading: string; level: number }[];
  assertEquals([chunks, entries.length, entries[7]?.heading, entries[7]?.level], [
    undefined,
    30,
    "Part 7",
    2,
  ]);
  assert(entries.at(-1)!.index < Number(chunks_total));
  const { chunks: part } = await kb.call(kbGet, { document_id: id, offset: entries[20]!.index, limit: 1 });
  assertStringIncludes(part?.[0]?.text ?? "", "## Part 20\n");
});

Deno.test("kb_get finds documents by title: the exact one, or those with its words", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const exact = await kb.note({ text: "Tea at four.", title: "Tea" });
  await kb.note({ text: "Tea and coffee.", title: "Tea or coffee" });
  await kb.note({ text: "Coffee.", title: "Black coffee" });
  const get = async (title: string) => {
    const { documents = [], total } = await kb.call(kbGet, { title });
    return [documents.map(({ title }) => title), total, documents.map((each) => "chunks" in each)];
  };
  assertEquals(await get(" tea "), [["Tea"], 1, [true]]);
  assertEquals(await get("coffee tea"), [["Tea or coffee"], 1, [true]]);
  const [titles, ...rest] = await get("coffee");
  assertEquals([(titles as string[]).toSorted(), ...rest], [["Black coffee", "Tea or coffee"], 2, [
    false,
    false,
  ]]);
  assertEquals(await get("milk"), [[], 0, []]);
  const error = await assertRejects(() => kb.call(kbGet, { title: "Tea", document_id: exact }), ToolError);
  assertEquals(
    error.message,
    "Exactly one of document_id, source_path and title must be given, got document_id and title.",
  );
});

Deno.test("kb_get by title needs an engine with contract 3.3", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
  await assertRejects(() => kb.call(kbGet, { title: "Tea" }), EngineError, "kb_get by title needs an engine");
});

Deno.test("kb_get returns an outline also with chunks: false, but not around a chunk", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const document_id = await kb.note({ text: "# Tea\n\n## Green\n\nSteep briefly.", source_path: "tea.md" });
  for (const by of [{ document_id }, { source_path: "tea.md" }]) {
    const output = await kb.call(kbGet, { ...by, chunks: false, outline: true });
    const { outline, chunks } = output.documents?.[0] ?? output;
    assertEquals((outline as { heading: string }[]).map(({ heading }) => heading), ["Tea", "Green"]);
    assertEquals(chunks, undefined);
  }
  const around = kb.call(kbGet, { document_id, outline: true, around: 0 });
  await assertRejects(() => around, ToolError, "around and outline must not be given together");
});

Deno.test("kb_get omits the text with chunks: false", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Long text.", source_path: "a.md", title: "A" });
  for (const args of [{ document_id: id }, { source_path: "a.md" }]) {
    const output = await kb.call(kbGet, { ...args, chunks: false });
    const document = output.documents?.[0] ?? output;
    assertEquals([document["title"], document["chunks"], document["version"]], ["A", undefined, 1]);
  }
});

Deno.test("kb_get returns no documents for an unknown source path", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const output = await kb.call(kbGet, { source_path: "nothing/here.md" });
  assertEquals([output.documents, output.total], [[], 0]);
  assertStringIncludes(String(output["hint"]), "exactly this source_path");
  const { documents, hint } = await kb.call(kbGet, { title: "Nothing here" });
  assertEquals(documents, []);
  assertStringIncludes(String(hint), "kb_history");
});

Deno.test("kb_get finds a document by its file name, after its title", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const report = await kb.note({
    text: "Sales.",
    title: "Annual report",
    source_path: "docs/2025/Übersicht A.pdf",
  });
  await kb.note({ text: "Old sales.", title: "Old report", source_path: "docs/2024/Alte Übersicht A.pdf" });
  const found = async (title: string) =>
    (await kb.call(kbGet, { title })).documents?.map((each) => each["title"]);
  for (
    const name of ["Übersicht A.pdf", "Übersicht a.PDF", "2025/Übersicht A.pdf", "docs/2025/Übersicht A.pdf"]
  ) {
    assertEquals(await found(name), ["Annual report"], name);
  }
  assertEquals(await found("a.pdf"), ["Old report", "Annual report"]);
  await kb.note({ text: "Costs.", title: "Übersicht A.pdf" });
  assertEquals(await found("übersicht a.pdf"), ["Übersicht A.pdf"]);
  assertEquals((await kb.call(kbGet, { title: "Annual report" })).documents?.[0]?.["document_id"], report);
});

Deno.test("kb_get finds the exact title behind more than a page of newer documents with that file name", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "How to begin.", title: "Readme" });
  const newer = Array.from({ length: 201 }, (_, n) => n);
  await Promise.all(
    newer.map((n) => kb.note({ text: `Package ${n}.`, title: `Package ${n}`, source_path: `${n}/readme` })),
  );
  const { documents = [], total } = await kb.call(kbGet, { title: "readme" });
  assertEquals([documents.map(({ document_id }) => document_id), total], [[id], 1]);
});

Deno.test("kb_addnote sends no further request for a created note", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.call(kbAddNote, { text: "Brand new." });
  assertEquals(kb.paths().filter((path) => path.includes("/documents") && !path.endsWith("/similar")), []);
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
