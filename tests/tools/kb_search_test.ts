import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { ToolError } from "../../src/tools/mod.ts";
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
    assertEquals(kb.calls.length, 1);
  });
}

Deno.test("an empty result has a hint that names the active filters", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron." });
  const hint = async (args: Record<string, unknown>) =>
    (await kb.call(kbSearch, { query: "heron", ...args })).hint;
  assertEquals(await hint({}), undefined);
  assertEquals(await hint({ query: "zebra", tags: [] }), "Nothing found: try other words.");
  kb.calls.length = 0;
  assertEquals(
    await hint({ collection: "memory", tags: ["a"], doc_type: "pdf", since: "2020-01-01" }),
    "Nothing found: try other words, or fewer filters (active: collection, tags, doc_type, since).",
  );
  assertEquals(kb.calls.length, 1);
});
