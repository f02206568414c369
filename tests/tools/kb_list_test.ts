import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { CollectionError } from "../../src/collections/mod.ts";
import { EngineError } from "../../src/client/mod.ts";
import { DocumentListRequest, type DocumentSummary, SearchRequest } from "../../src/contract/mod.ts";
import { kbList } from "../../src/tools/kb_list.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { presentList } from "../../src/tools/present_list.ts";
import { type Harness, openHarness } from "../support/harness.ts";

async function library(): Promise<Harness> {
  const kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "Likes tea.", title: "Tea", collection: "memory", tags: ["food"] });
  await kb.note({
    text: "---\nstatus: done\n---\nShip it.",
    title: "Ship the release",
    source_path: "plans/1.md",
  });
  await kb.note({ text: "Likes cake.", title: "Cake", collection: "memory", tags: ["food", "sweet"] });
  return kb;
}

Deno.test("kb_list lists documents in a few fields each, most recent first", async () => {
  await using kb = await library();
  const today = new Date().toISOString().slice(0, 10);
  const { documents, total, now, ...rest } = await kb.call(kbList, {});
  assertEquals<unknown>(documents, [
    { document_id: 3, title: "Cake", collection: "memory", tags: ["food", "sweet"], created_at: today },
    {
      document_id: 2,
      title: "Ship the release",
      collection: "documents",
      source_path: "plans/1.md",
      created_at: today,
    },
    { document_id: 1, title: "Tea", collection: "memory", tags: ["food"], created_at: today },
  ]);
  assertEquals([total, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(now), rest], [3, true, {}]);
});

Deno.test("a filter by __proto__ is refused, since it would be dropped and match every document", () => {
  const metadata = JSON.parse('{"__proto__":"x","status":"done"}');
  for (const schema of [kbList.input, kbSearch.input, DocumentListRequest, SearchRequest]) {
    const { error } = schema.safeParse({ query: "x", metadata });
    assertEquals(
      error?.issues.map(({ path, message }) => [path, message]).filter(([path]) =>
        path?.includes("metadata")
      ),
      [
        [["metadata"], 'must not have a field named "__proto__"'],
      ],
    );
  }
});

Deno.test("kb_list filters, and does not repeat what was asked for", async () => {
  await using kb = await library();
  const ids = async (args: unknown) =>
    (await kb.call(kbList, args)).documents?.map(({ document_id }) => document_id);
  assertEquals(await ids({ collection: "memory" }), [3, 1]);
  assertEquals(await ids({ collection: ["memory", "documents"], tags_none: ["sweet"] }), [2, 1]);
  assertEquals(await ids({ tags: ["food", " sweet "] }), [3]);
  assertEquals(await ids({ tags_any: ["sweet", "other"] }), [3]);
  assertEquals(await ids({ doc_type: "NOTE", title: "rel SHIP" }), [2]);
  assertEquals(await ids({ source_path: "plans/" }), [2]);
  assertEquals(await ids({ metadata: { status: "done" } }), [2]);
  assertEquals(await ids({ metadata: { status: { from: "d", to: "d" }, due: { exists: false } } }), [2]);
  assertEquals(await ids({ since: "1h", until: "today" }), [3, 2, 1]);
  assertEquals(await ids({ until: "yesterday" }), []);
  assertEquals(await ids({ sort: "title" }), [3, 2, 1]);
  const { documents } = await kb.call(kbList, { collection: "memory", tags: ["food"] });
  assertEquals(documents?.map((document) => [document["collection"], document["tags"]]), [
    [undefined, ["sweet"]],
    [undefined, undefined],
  ]);
});

Deno.test("kb_list pages, also through a relative time", async () => {
  await using kb = await library();
  const args = { since: "7d", sort: "created", limit: 2 };
  const now = Date.now();
  const first = await kb.call(kbList, args, { now: () => now });
  const rest = await kb.call(kbList, { ...args, cursor: first.next_cursor }, { now: () => now + 5000 });
  assertEquals([first.total, rest.documents?.length, rest.next_cursor], [3, 1, undefined]);
  await assertRejects(() => kb.call(kbList, { cursor: first.next_cursor }), EngineError, "cursor must be");
});

Deno.test("kb_list counts", async () => {
  await using kb = await library();
  const counts = async (args: unknown) => {
    const { groups, total, documents } = await kb.call(kbList, args);
    assertEquals(documents, undefined);
    return [total, groups?.map(({ key, count }) => [key, count])];
  };
  assertEquals(await counts({ group_by: "tag" }), [3, [["food", 2], ["sweet", 1]]]);
  assertEquals(await counts({ group_by: "collection" }), [3, [["memory", 2], ["documents", 1]]]);
  assertEquals(await counts({ group_by: "kind", collection: "memory" }), [2, [["note", 2]]]);
});

Deno.test("kb_list shows the size when it sorts by it", async () => {
  await using kb = await library();
  const { documents } = await kb.call(kbList, { sort: "size", limit: 1 });
  assertEquals([documents?.[0]?.document_id, documents?.[0]?.["size_bytes"]], [2, 29]);
});

Deno.test("kb_list rejects contradictions before the engine is called", async () => {
  await using kb = await library();
  kb.calls.length = 0;
  await assertRejects(() => kb.call(kbList, { collection: [] }), ToolError, "omit it to search all");
  await assertRejects(
    () => kb.call(kbList, { tags: ["collection:memory"] }),
    CollectionError,
    "tags must not",
  );
  await assertRejects(() => kb.call(kbList, { since: "today", until: "2w" }), ToolError, "swap them");
  assertEquals(kb.calls, []);
});

Deno.test("a collection that is no longer configured can be listed and searched while it has documents", async () => {
  await using kb = await library();
  await kb.note({ text: "The invoice is paid.", collection: "work" });
  for (const collection of ["work", ["work", "memory"]]) {
    const { documents = [] } = await kb.call(kbList, { collection });
    assertEquals(documents[0]?.document_id, 4);
    const { results } = await kb.call(kbSearch, { query: "invoice", collection });
    assertEquals(results.map(({ document_id }) => document_id), [4]);
  }
  const known = 'Did you mean "work"? Known collections: documents, memory, workspace, work';
  await assertRejects(() => kb.call(kbList, { collection: "wrok" }), CollectionError, known);
  await assertRejects(() => kb.call(kbSearch, { query: "x", collection: "wrok" }), CollectionError, known);
  kb.calls.length = 0;
  await kb.call(kbList, { collection: "memory" });
  assertEquals(kb.paths(), ["POST /api/v1/documents/query"]);
});

/** An engine that lists the given documents. */
const listing = (documents: readonly Partial<DocumentSummary>[]) => () =>
  Response.json({ documents, total: documents.length, next_cursor: null });

const SENTENCE = "The client prefers email over phone calls and wants invoices as PDF by the 5th of a month";
/** Documents of several kinds; `n` is from 0 to 99. */
const KINDS: [what: string, (n: number) => Partial<DocumentSummary>][] = [
  ["titles and tags", (n) => ({
    title: `Decision ${n}: store avatars in S3, the rest in Postgres`,
    tags: ["collection:memory", "decision", `project-${n % 7}`],
  })],
  ["titles from the text", (n) => ({
    title: `${n} ${SENTENCE}`.slice(0, 80),
    tags: ["collection:memory", "feedback", "email"],
  })],
  ["paths", (n) => ({
    title: `Meeting notes ${n}`,
    source_path: `workspace/meetings/2026/03/note-${n}.md`,
    tags: ["collection:memory", "meeting"],
  })],
  ["many long tags", (n) => ({
    title: `Note ${n}`,
    tags: ["collection:memory", ...Array.from({ length: 20 }, (_, i) => `a-rather-long-tag-${i}`)],
  })],
  [
    "titles in Japanese",
    (n) => ({
      title: `${n} 顧客は電話より電子メールを好み、請求書は毎月五日までにPDFで欲しいと言っている`,
      tags: [],
    }),
  ],
];
for (const [what, kind] of KINDS) {
  Deno.test(`100 notes with ${what} have at most 2,500 tokens`, async () => {
    const documents = Array.from({ length: 100 }, (_, n) => ({
      document_id: 1000 + n,
      doc_type: "note",
      created_at: new Date(Date.UTC(2026, 0, 1 + n, 9)).toISOString(),
      updated_at: n % 3 === 0 ? "2026-11-20T08:00:00.123Z" : null,
      content_hash: "ab".repeat(32),
      ...kind(n),
    }));
    await using kb = await openHarness({ placement: "embedded", handler: listing(documents) });
    const output = await kb.call(kbList, { collection: "memory", limit: 100 });
    const tokens = encode(JSON.stringify(output)).length;
    assert(tokens <= 2500, `${tokens} tokens`);
    assertEquals(
      output.documents?.map(({ document_id }) => document_id),
      documents.map((each) => each.document_id),
    );
    assertStringIncludes(String(output["note"]), "A smaller limit shows more.");
    assert(output.documents?.every(({ title }) => title), "every title is listed");
  });
}

Deno.test("a long list names each day once", async () => {
  const documents = Array.from({ length: 100 }, (_, n) => ({
    document_id: n,
    title: `Note ${n}`,
    doc_type: "note",
    tags: ["feedback", "client"],
    created_at: n < 60 ? "2026-02-02T10:00:00.000Z" : "2026-01-01T10:00:00.000Z",
  }));
  await using kb = await openHarness({ placement: "embedded", handler: listing(documents) });
  const output = await kb.call(kbList, { limit: 100 });
  const days = output.documents?.map((document) => document["created_at"]);
  assertEquals([days?.[0], days?.[60]], ["2026-02-02", "2026-01-01"]);
  assertEquals(days?.filter((day) => day !== undefined).length, 2);
  assertStringIncludes(String(output["note"]), "each date also holds for the documents after it");
});

Deno.test("a short list has all tags, paths and dates", async () => {
  const documents = Array.from({ length: 20 }, (_, n) => ({
    document_id: n,
    title: `Note ${n}`,
    doc_type: n === 0 ? "pdf" : "note",
    tags: ["collection:documents", "a", "b"],
    source_path: `docs/${n}.md`,
    created_at: "2026-01-01T10:00:00.000Z",
    updated_at: n === 1 ? "2026-02-02T10:00:00.000Z" : null,
  }));
  await using kb = await openHarness({ placement: "embedded", handler: listing(documents) });
  const output = await kb.call(kbList, { collection: "documents" });
  assertEquals<unknown>(output.documents?.slice(0, 3), [
    {
      document_id: 0,
      title: "Note 0",
      doc_type: "pdf",
      tags: ["a", "b"],
      source_path: "docs/0.md",
      created_at: "2026-01-01",
    },
    { document_id: 1, title: "Note 1", tags: ["a", "b"], source_path: "docs/1.md", updated_at: "2026-02-02" },
    { document_id: 2, title: "Note 2", tags: ["a", "b"], source_path: "docs/2.md", created_at: "2026-01-01" },
  ]);
  assertEquals(output["note"], undefined);
});

Deno.test("kb_list returns visible text only, on one line, and cuts long titles", async () => {
  const documents = [{
    document_id: "d\u200b1",
    title: `A\u202e\n${"long ".repeat(40)}`,
    doc_type: "note",
    tags: ["t\u200bag"],
  }];
  await using kb = await openHarness({ placement: "embedded", handler: listing(documents) });
  const [document] = (await kb.call(kbList, {})).documents ?? [];
  assertEquals<unknown>(document, {
    document_id: "d\u200b1",
    title: `A ${"long ".repeat(40)}`.slice(0, 79) + "…",
    tags: ["tag"],
  });
});

Deno.test("a listed document has the start of its warning", () => {
  const document = {
    document_id: 1,
    title: "A",
    doc_type: "text",
    tags: [],
    warning: "Guessed. ".repeat(50),
  };
  const { documents } = presentList([document], {});
  assertEquals(documents[0]?.warning?.length, 120);
});
