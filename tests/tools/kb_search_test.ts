import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { joinText } from "../../src/text/mod.ts";
import { EncodedOutput, ToolError } from "../../src/tools/mod.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";
import { openHarness } from "../support/harness.ts";

Deno.test("a result has its index in the document, so that kb_get can read around it", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const parts = Array.from(
    { length: 30 },
    (_, i) => `## Part ${i}\n\n${`Sentence ${i} of many. `.repeat(40)}`,
  );
  parts[20] += "\n\nThe heron nests here.";
  const id = await kb.note({ text: parts.join("\n\n") });
  const [hit] = (await kb.call(kbSearch, { query: "heron" })).results;
  assert(hit?.index !== undefined && hit.index > 0);
  const { chunks } = await kb.call(kbGet, { document_id: id, offset: hit.index - 1, limit: 3 });
  assertEquals(chunks?.map((chunk) => chunk["index"]), [hit.index - 1, hit.index, hit.index + 1]);
  assertEquals(chunks?.[1]?.chunk_id, hit.chunk_id);
});

for (const index of [undefined, null]) {
  Deno.test(`a result without an index (${index}) omits the field`, async () => {
    const result = {
      chunk_id: 1,
      document_id: 2,
      index,
      text: "x",
      score: 0.123456,
      tags: [],
      content_hash: "ab",
    };
    const handler = () => Response.json({ results: [result] });
    await using kb = await openHarness({ placement: "embedded", handler });
    const [hit] = (await kb.call(kbSearch, { query: "x" })).results;
    assert(hit);
    assertEquals(["index" in hit, "content_hash" in hit, hit.score], [false, false, 0.123]);
  });
}

Deno.test("doc_type is case-insensitive", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron." });
  const { results } = await kb.call(kbSearch, { query: "heron", doc_type: "Note" });
  assertEquals(results.length, 1);
});

const EMPTY_RANGES: [since: string, until: string][] = [
  ["2026-04-01", "2026-03-31"],
  ["2026-04-01T12:00:00Z", "2026-04-01T13:00:00+02:00"],
  ["2026-04-01T12:00:00.001", "2026-04-01T12:00:00Z"],
];
for (const [since, until] of EMPTY_RANGES) {
  Deno.test(`a search since ${since} until ${until} is rejected before the engine is called`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
    const error = await assertRejects(() => kb.call(kbSearch, { query: "x", since, until }), ToolError);
    assertStringIncludes(error.message, `since must not be later than until, got since "${since}"`);
    assertEquals(kb.calls, []);
  });
}

const VALID_RANGES: [since: string, until: string][] = [
  ["2026-04-01", "2026-04-01"],
  ["2026-04-01T23:59:59Z", "2026-04-01"],
  ["2026-04-01T13:00:00+02:00", "2026-04-01T12:00:00Z"],
];
for (const [since, until] of VALID_RANGES) {
  Deno.test(`a search since ${since} until ${until} is sent`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
    await kb.call(kbSearch, { query: "x", since, until });
    assertEquals(kb.paths()[0], "POST /api/v1/search");
  });
}

Deno.test("an empty result has a hint that names the active filters", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron." });
  const hint = async (args: Record<string, unknown>) =>
    (await kb.call(kbSearch, { query: "heron", ...args })).hint;
  assertEquals(await hint({}), undefined);
  assertEquals(await hint({ query: "zebra", tags: [] }), "Nothing found: try other words.");
  await kb.note({ text: "A tern.", collection: "memory", tags: ["a"] });
  assertEquals(
    await hint({ collection: "memory", tags: ["a"], doc_type: "note", since: "2020-01-01" }),
    "Nothing found: try other words, or fewer filters (active: collection, tags, doc_type, since).",
  );
});

for (const query of ["", " ", "*", '""', " ** "]) {
  Deno.test(`the query ${JSON.stringify(query)} lists the documents that the filters allow`, async () => {
    await using kb = await openHarness({ placement: "embedded" });
    const id = await kb.note({ text: "A heron.", title: "Heron", collection: "memory", tags: ["bird"] });
    await kb.note({ text: "A tern.", title: "Tern", tags: ["bird"] });
    const args = { query, collection: "memory", since: "1d", mode: "hybrid", max_tokens: 500, top: 1 };
    const { results, documents, total, now, note, ...rest } = await kb.call(kbSearch, args);
    const created_at = new Date().toISOString().slice(0, 10);
    assertEquals<unknown>([results, documents], [[], [{
      document_id: id,
      title: "Heron",
      tags: ["bird"],
      created_at,
    }]]);
    assertEquals([total, typeof now, rest], [1, "string", {}]);
    assertStringIncludes(String(note), "kb_list");
    const all = await kb.call(kbSearch, { query, top: 1 });
    const next = await kb.call(kbSearch, { query, top: 1, cursor: all.next_cursor });
    assertEquals([all.total, next.next_cursor], [2, undefined]);
  });
}

Deno.test("a list of a search without words fits into max_tokens", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (let n = 0; n < 20; n++) {
    await kb.note({
      text: `Bird ${n}.`,
      title: `Observation ${n} of a bird on the northern shore of the lake`,
      source_path: `observations/2026/11/northern-shore/bird-${n}.md`,
      tags: ["bird", "northern-shore", "autumn"],
    });
  }
  for (const max_tokens of [150, 300, 600]) {
    const output = await kb.call(kbSearch, { query: "*", top: 20, max_tokens });
    const tokens = encode(JSON.stringify(output)).length;
    assert(tokens <= max_tokens, `${tokens} of ${max_tokens} tokens`);
    assert((output.documents as unknown[]).length > 0 && output.next_cursor);
    assertEquals(output.total, 20);
  }
});

Deno.test("an empty query inside a document is rejected", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const error = await assertRejects(() => kb.call(kbSearch, { query: "*", document_id: 1 }), ToolError);
  assertEquals(error.message, "query must have words to search inside a document: kb_get reads it.");
});

for (const version of ["3.2.0", "build 7"]) {
  Deno.test(`an engine of version ${version} lists what it can`, async () => {
    const document = (document_id: number, tags: string[]) => ({
      document_id,
      title: "x",
      doc_type: "note",
      tags,
    });
    const handler = (request: Request) => {
      if (new URL(request.url).pathname === "/api/v1/status") return Response.json({ version });
      const documents = [document(1, ["a", "b"]), document(2, ["a"])];
      return Response.json({ documents, total: 2, next_cursor: "2" });
    };
    await using kb = await openHarness({ placement: "embedded", handler });
    const page = await kb.call(kbSearch, { query: "", tags: ["a"], since: "2026-01-01", cursor: "1" });
    assertEquals([page.total, page.next_cursor, (page["documents"] as unknown[]).length], [2, "2", 2]);
    const url = kb.calls.at(-1)?.url;
    assertEquals([url?.pathname, url?.searchParams.get("tag"), url?.searchParams.get("cursor")], [
      "/api/v1/documents",
      "a",
      "1",
    ]);
    const filtered = await kb.call(kbSearch, {
      query: "",
      tags: ["a"],
      tags_none: ["b"],
      metadata: { a: 1 },
    });
    assertEquals([filtered.total, (filtered["documents"] as unknown[]).length], [undefined, 1]);
    assertStringIncludes(String(filtered["note"]), "older than contract 3.3");
    assertStringIncludes(String(filtered["note"]), "metadata had no effect");
  });
}

Deno.test("a search takes a document, the start of a path, metadata and relative times", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", source_path: "birds/1.md" });
  const id = await kb.note({ text: "---\nstatus: seen\n---\nAnother heron.", source_path: "birds/2.md" });
  const search = async (args: Record<string, unknown>) => {
    const { results, filters_applied } = await kb.call(kbSearch, { query: "heron", ...args });
    return [results.map(({ document_id }) => document_id), filters_applied] as const;
  };
  assertEquals(await search({ document_id: id }), [[id], { document_id: id }]);
  assertEquals(await search({ source_path: "birds/2" }), [[id], { source_path: "birds/2" }]);
  assertEquals(await search({ metadata: { status: "seen" } }), [[id], { metadata: { status: "seen" } }]);
  assertEquals((await search({ since: "7d" }))[0].length, 2);
  assertEquals((await search({ until: "yesterday" }))[0], []);
});

Deno.test("the pages of a search with a relative time continue", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const n of [1, 2, 3]) await kb.note({ text: `Heron ${n}.` });
  const args = { query: "heron", since: "7d", top: 2 };
  const now = Date.now();
  const first = await kb.call(kbSearch, args, { now: () => now });
  const rest = await kb.call(kbSearch, { ...args, cursor: first.next_cursor }, { now: () => now + 5000 });
  assertEquals([first.results.length, rest.results.length], [2, 1]);
});

Deno.test("kb_search has the same output for an engine in the process and for one over HTTP", async () => {
  const now = Date.now();
  const outputs = await Promise.all(
    (["in process", "embedded", "over HTTP"] as const).map(async (placement) => {
      await using kb = await openHarness({ placement });
      await kb.note({ text: 'Herons … nest in "spring" 🌱.', title: "Herons\u200b", collection: "memory" });
      await kb.note({ text: "A heron\u202e waits.", source_path: "a/heron.md", tags: ["bird"] });
      const input = kbSearch.input.parse({ query: "heron" });
      const output = await kbSearch.run(input, { ...kb.context, now: () => now });
      assert(output instanceof EncodedOutput);
      return { json: joinText(output.json), quoted: joinText(output.quoted), links: output.content };
    }),
  );
  assertEquals(outputs[0]?.links.length, 2);
  assertEquals([outputs[1], outputs[2]], [outputs[0], outputs[0]]);
});
