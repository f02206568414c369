import { assertEquals, assertStringIncludes } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { foreignEngine } from "../support/foreign_engine.ts";
import { openHarness } from "../support/harness.ts";

/** Answers the `top` best of so many chunks, two of each document, and knows neither filters nor pages. */
function simpleEngine(chunks: number, answer: Record<string, unknown> = {}) {
  const all = Array.from({ length: chunks }, (_, i) => ({
    chunk_id: i,
    document_id: Math.floor(i / 2),
    text: `Chunk ${i}.`,
    score: 1 - i / 1000,
    tags: [i % 4 < 2 ? "even" : "odd", i < 20 ? "collection:documents" : " Collection:memory"],
  }));
  return async (request: Request) => {
    const { top } = await request.json();
    return Response.json({ results: all.slice(0, top), total: chunks, ...answer });
  };
}

/** Arguments over an engine that knows as little as {@linkcode simpleEngine}. */
async function search(args: Record<string, unknown>, handler = simpleEngine(40)) {
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbSearch, { query: "chunk", ...args });
  const sent = kb.sent("POST", "/api/v1/search") as Record<string, unknown>[];
  return { output, sent, found: output.results.map(({ chunk_id }) => chunk_id) };
}

Deno.test("over an engine from elsewhere, a plain search is one request, and its total and cursor pass", async () => {
  const { output, sent } = await search({ top: 3 }, simpleEngine(40, { next_cursor: "3" }));
  assertEquals([sent, output.total, output.next_cursor], [[{ query: "chunk", top: 3 }], 40, "3"]);
  assertEquals([output.warning, output["filters_applied"]], [undefined, undefined]);
});

const HERE: [args: Record<string, unknown>, found: number[]][] = [
  [{ tags_any: ["odd", "other"] }, [2, 3, 6]],
  [{ tags_none: ["even", "other"] }, [2, 3, 6]],
  [{ collection: ["memory", "workspace"] }, [20, 21, 22]],
  [{ per_document: 1 }, [0, 2, 4]],
  [{ tags_any: ["odd"], collection: ["memory", "workspace"], per_document: 1 }, [22, 26, 30]],
];
for (const [args, expected] of HERE) {
  Deno.test(`over an engine that knows no ${Object.keys(args).join(", ")}, they are applied here`, async () => {
    const { output, sent, found } = await search({ top: 3, ...args });
    assertEquals(found, expected);
    // The first page was full, so that there may be more to choose from.
    assertEquals(sent.map(({ top }) => top), [3, 50]);
    assertEquals<unknown>(output["filters_applied"], args);
    // Of all results, and of what follows them, only the engine could speak.
    assertEquals([output.total, output.next_cursor, output.warning], [undefined, undefined, undefined]);
  });
}

Deno.test("a page that is not full is not asked for again", async () => {
  const { sent, found } = await search({ top: 10, tags_any: ["odd"] }, simpleEngine(8));
  assertEquals([sent.length, found], [1, [2, 3, 6, 7]]);
});

Deno.test("it is said when an engine without filters has more than were looked through", async () => {
  const { output, found } = await search({ top: 40, tags_any: ["odd"] }, simpleEngine(100));
  assertEquals(found.length, 24);
  assertEquals(
    output.warning,
    "The engine does not know tags_any: only its best 50 results were looked through.",
  );
});

Deno.test("an engine that knows some filters has the others applied here", async () => {
  const handler = simpleEngine(40, { filters_applied: { tags_any: ["even"] } });
  const { output, found } = await search({ top: 2, tags_any: ["even"], tags_none: ["odd"] }, handler);
  assertEquals(found, [0, 1]);
  assertEquals<unknown>(output["filters_applied"], { tags_any: ["even"], tags_none: ["odd"] });
});

Deno.test("a mode is asked for in old words of an engine that does not say that it knows it", async () => {
  const modes = async (mode: string, answer = {}) => {
    const { output, sent } = await search({ mode, top: 1 }, simpleEngine(1, answer));
    return [sent.map(({ fts_only, vec_only }) => [fts_only, vec_only]), output.mode, output.warning];
  };
  const plain = [undefined, undefined];
  assertEquals(await modes("fts"), [[plain, [true, undefined]], null, undefined]);
  assertEquals(await modes("vector"), [[plain, [undefined, true]], null, undefined]);
  assertEquals(await modes("vector", { mode: "vector" }), [[plain], "vector", undefined]);
  const own = (mode: string) => `The engine does not know mode "${mode}": it searched its own way.`;
  assertEquals(await modes("hybrid"), [[plain], null, own("hybrid")]);
  assertEquals(await modes("fts", { mode: "bm25" }), [[plain, [true, undefined]], "bm25", own("fts")]);
});

Deno.test("an engine that says its filters and fell back to another mode is believed and not asked again", async () => {
  const warning = "The embedding model cannot be reached: full text only.";
  const handler = simpleEngine(1, { mode: "fts", warning, filters_applied: {} });
  const { output, sent } = await search({ mode: "hybrid" }, handler);
  assertEquals([sent.length, output.mode, output.warning], [1, "fts", warning]);
});

Deno.test("what an engine from elsewhere ignores is said, after what it says itself", async () => {
  const { output } = await search(
    { cursor: "a", detail: "context" },
    simpleEngine(1, { warning: "Slow today." }),
  );
  assertEquals(
    output.warning,
    "Slow today. The engine does not know cursor: this is the first page again. " +
      "The engine does not know detail context: read on around a result with kb_get.",
  );
  const last = await search({ cursor: "a" }, simpleEngine(1, { next_cursor: null }));
  assertEquals(last.output.warning, undefined);
});

Deno.test("the snippet of an engine that gives it beside the text is the text where it was asked for", async () => {
  const result = { chunk_id: 1, document_id: 1, score: 1, text: "All of the chunk.", snippet: "the chunk" };
  const handler = () => Response.json({ results: [result] });
  await using kb = await openHarness({ placement: "embedded", handler });
  const { results: [hit], warning } = await kb.call(kbSearch, { query: "x", detail: "snippet" });
  assertEquals([hit?.text, warning], ["the chunk", undefined]);
  const without = await search({ detail: "snippet" });
  assertStringIncludes(without.output.warning ?? "", "does not know detail snippet");
});

Deno.test("a budget that an engine does not know is kept here, and no cursor leads past what was left out", async () => {
  const handler = simpleEngine(40, { next_cursor: "10" });
  const { output, found } = await search({ max_tokens: 90 }, handler);
  assertEquals(found, [0, 1]);
  assertEquals<unknown>(output.cut, { omitted: 8, text_cut: false });
  assertEquals(output.next_cursor, undefined);
  const all = await search({ max_tokens: 1000 }, handler);
  assertEquals([all.found.length, all.output.cut, all.output.next_cursor], [10, undefined, "10"]);
});

Deno.test("over an engine from elsewhere, notes are found by any tag, by none, and in several collections", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: foreignEngine() });
  await kb.call(kbAddNote, { text: "one", collection: "memory", tags: ["red"] });
  await kb.call(kbAddNote, { text: "two", collection: "workspace", tags: ["blue"] });
  await kb.call(kbAddNote, { text: "three", tags: ["red", "blue"] });
  const found = async (args: Record<string, unknown>) =>
    (await kb.call(kbSearch, { query: "note", ...args })).results.map(({ text }) => text);
  assertEquals(await found({ tags_any: ["red"] }), ["one", "three"]);
  assertEquals(await found({ tags_none: ["red"] }), ["two"]);
  assertEquals(await found({ collection: ["memory", "workspace"] }), ["one", "two"]);
});
