import { assertEquals, assertStringIncludes } from "@std/assert";
import { EngineClient } from "../../../src/client/mod.ts";
import type { SearchRequest } from "../../../src/contract/mod.ts";
import { type RecordedCall, recording } from "../../support/recorder.ts";

/**
 * An engine that returns the `top` best of its chunks, two of each document, and supports no filters and no
 * pages.
 */
function simpleEngine(chunks: number, fields: Record<string, unknown> = {}) {
  const all = Array.from({ length: chunks }, (_, i) => ({
    chunk_id: i,
    document_id: Math.floor(i / 2),
    text: `Chunk ${i}.`,
    score: 1 - i / 1000,
    ...(i < 30 ? {} : { source_path: "notes/b.md" }),
    tags: [i % 4 < 2 ? "even" : "odd", i < 20 ? "collection:documents" : " Collection:memory"],
  }));
  return async (request: Request) => {
    const { top } = await request.json();
    return Response.json({ results: all.slice(0, top), total: chunks, ...fields });
  };
}

async function search(request: Partial<SearchRequest>, handler = simpleEngine(40)) {
  const calls: RecordedCall[] = [];
  const client = new EngineClient({ baseUrl: "http://engine.test", fetch: recording(calls, handler) });
  const response = await client.search({ query: "chunk", ...request });
  const sent = calls.map(({ body }) => body as Record<string, unknown>);
  return { response, sent, found: response.results.map(({ chunk_id }) => chunk_id) };
}

Deno.test("a search without filters is one request, and its total and cursor are passed on", async () => {
  const { response, sent } = await search({ top: 3 }, simpleEngine(40, { next_cursor: "3" }));
  assertEquals([sent, response.total, response.next_cursor], [[{ query: "chunk", top: 3 }], 40, "3"]);
  assertEquals([response.warning, response.filters_applied], [undefined, undefined]);
});

Deno.test("snippets: false is sent to an engine whose version has it", async () => {
  const sentTo = async (version: string | undefined) => {
    const calls: RecordedCall[] = [];
    const client = new EngineClient({
      baseUrl: "http://engine.test",
      fetch: recording(calls, simpleEngine(1)),
      version,
    });
    await client.search({ query: "chunk", snippets: false });
    return calls.map(({ body }) => body);
  };
  assertEquals(await sentTo("3.6.0"), [{ query: "chunk", snippets: false }]);
  for (const version of ["3.5.0", "third-party", undefined]) {
    assertEquals(await sentTo(version), [{ query: "chunk" }]);
  }
});

Deno.test("an engine that ignores top has its results cut, and its cursor dropped", async () => {
  const ignoresTop = (request: Request) =>
    simpleEngine(400, { next_cursor: "400" })(
      new Request(request.url, { method: "POST", body: '{"top":400}' }),
    );
  const { response, found } = await search({ top: 3 }, ignoresTop);
  assertEquals([found, response.total, response.next_cursor], [[0, 1, 2], 400, undefined]);
  assertEquals((await search({}, ignoresTop)).found.length, 10);
  assertEquals((await search({ top: 2, tags_any: ["odd"] }, ignoresTop)).found, [2, 3]);
});

Deno.test("an engine that ignores language or metadata has its results marked as of any", async () => {
  const request = { language: "de", metadata: { status: "done" } };
  for (const fields of [{}, { filters_applied: { tags: ["a"] } }]) {
    const { response, found } = await search({ top: 3, ...request }, simpleEngine(40, fields));
    assertEquals(found, [0, 1, 2]);
    assertEquals(
      response.warning,
      "The engine does not support language: the results are in any language. " +
        "The engine does not support metadata: the results are of documents with any metadata.",
    );
  }
  const { response } = await search(request, simpleEngine(40, { filters_applied: request }));
  assertEquals(response.warning, undefined);
});

Deno.test("a warning of the client follows one of the engine as a sentence of its own", async () => {
  for (const warning of ["Full text only", "Full text only."]) {
    const { response } = await search({ sort: "recent" }, simpleEngine(3, { warning }));
    assertEquals(
      response.warning,
      "Full text only. The engine does not support sort: the results are in the order of relevance.",
    );
  }
});

Deno.test("an engine that ignores the order has its results marked, unless the order is the default one", async () => {
  const { response } = await search({ sort: "recent", recency: 0.3 }, simpleEngine(3));
  assertEquals(
    response.warning,
    "The engine does not support sort: the results are in the order of relevance. " +
      "The engine does not support recency: the age of documents does not count.",
  );
  const request = { sort: "relevance", recency: 0, include_weak: true } as const;
  assertEquals((await search(request, simpleEngine(3))).response.warning, undefined);
  const applied = { sort: "recent", recency: 0.3 } as const;
  assertEquals(
    (await search(applied, simpleEngine(3, { filters_applied: applied }))).response.warning,
    undefined,
  );
});

const FILTERS: [request: Partial<SearchRequest>, found: number[]][] = [
  [{ tags_any: ["odd", "other"] }, [2, 3, 6]],
  [{ tags_none: ["even", "other"] }, [2, 3, 6]],
  [{ collections: ["memory", "workspace"] }, [20, 21, 22]],
  [{ per_document: 1 }, [0, 2, 4]],
  [{ document_id: "4" }, [8, 9]],
  [{ source_path_prefix: "notes/" }, [30, 31, 32]],
  [{ tags_any: ["odd"], collections: ["memory", "workspace"], per_document: 1 }, [22, 26, 30]],
];
for (const [filters, expected] of FILTERS) {
  Deno.test(`an engine that ignores ${Object.keys(filters).join(", ")} has its results filtered`, async () => {
    const { response, sent, found } = await search({ top: 3, ...filters });
    assertEquals(found, expected);
    // The first page was full, so further results may match.
    assertEquals(sent.map(({ top }) => top), [3, 50]);
    // The engine's total and cursor are those of the unfiltered results.
    assertEquals([response.total, response.next_cursor, response.warning], [undefined, undefined, undefined]);
  });
}

Deno.test("a filtered page that contains all fetched results keeps the engine's cursor", async () => {
  const { response, sent } = await search(
    { top: 50, per_document: 1 },
    simpleEngine(100, { next_cursor: "50" }),
  );
  assertEquals([sent.length, response.total, response.next_cursor], [1, undefined, "50"]);
});

Deno.test("a page that is not full is not requested again", async () => {
  const { sent, found } = await search({ tags_any: ["odd"] }, simpleEngine(8));
  assertEquals([sent.length, found], [1, [2, 3, 6, 7]]);
});

Deno.test("a warning says that results beyond the filtered ones may match", async () => {
  const { response, found } = await search({ top: 40, tags_any: ["odd"] }, simpleEngine(100));
  assertEquals(found.length, 24);
  assertEquals(
    response.warning,
    "The engine does not support tags_any: only its best 50 results were filtered.",
  );
});

Deno.test("an engine that supports some filters has only the others emulated", async () => {
  const handler = simpleEngine(40, { filters_applied: { tags_any: ["even"] } });
  const { response, found } = await search({ top: 2, tags_any: ["even"], tags_none: ["odd"] }, handler);
  assertEquals(found, [0, 1]);
  assertEquals<unknown>(response.filters_applied, { tags_any: ["even"] });
});

Deno.test("a mode is sent as a flag too, to an engine that does not report that mode", async () => {
  const modes = async (mode: "fts" | "vector" | "hybrid", fields = {}) => {
    const { response, sent } = await search({ mode, top: 1 }, simpleEngine(1, fields));
    return [sent.map(({ fts_only, vec_only }) => [fts_only, vec_only]), response.mode, response.warning];
  };
  const plain = [undefined, undefined];
  assertEquals(await modes("fts"), [[plain, [true, undefined]], undefined, undefined]);
  assertEquals(await modes("vector"), [[plain, [undefined, true]], undefined, undefined]);
  assertEquals(await modes("vector", { mode: "vector" }), [[plain], "vector", undefined]);
  const ownMode = (mode: string) => `The engine does not support mode "${mode}": it used its own mode.`;
  assertEquals(await modes("hybrid"), [[plain], undefined, ownMode("hybrid")]);
  assertEquals(await modes("fts", { mode: "bm25" }), [[plain, [true, undefined]], "bm25", ownMode("fts")]);
});

Deno.test("an engine that reports its filters and falls back to another mode gets one request", async () => {
  const warning = "The embedding model cannot be reached: full text only.";
  const handler = simpleEngine(1, { mode: "fts", warning, filters_applied: {} });
  const { response, sent } = await search({ mode: "hybrid" }, handler);
  assertEquals([sent.length, response.mode, response.warning], [1, "fts", warning]);
});

Deno.test("warnings name the ignored parameters, after the engine's own warning", async () => {
  const { response } = await search(
    { cursor: "a", detail: "context" },
    simpleEngine(1, { warning: "Slow today." }),
  );
  assertEquals(
    response.warning,
    "Slow today. The engine does not support cursor: this is the first page again. " +
      "The engine does not support detail context: read around a result with kb_get.",
  );
  const last = await search({ cursor: "a" }, simpleEngine(1, { next_cursor: null }));
  assertEquals(last.response.warning, undefined);
});

Deno.test("with detail snippet, an engine's snippet field becomes the text", async () => {
  const result = { chunk_id: 1, document_id: 1, score: 1, text: "All of the chunk.", snippet: "the chunk" };
  const handler = () => Promise.resolve(Response.json({ results: [result] }));
  const { response } = await search({ detail: "snippet" }, handler);
  assertEquals([response.results[0]?.text, response.warning], ["the chunk", undefined]);
  const without = await search({ detail: "snippet" });
  assertStringIncludes(without.response.warning ?? "", "does not support detail snippet");
});

Deno.test("a token budget that the engine ignores cuts the page, and removes the cursor", async () => {
  const handler = simpleEngine(40, { next_cursor: "10" });
  const { response, found } = await search({ top: 10, max_tokens: 150 }, handler);
  assertEquals(found, [0, 1]);
  assertEquals<unknown>(response.cut, { omitted: 8, text_cut: false });
  assertEquals(response.next_cursor, undefined);
  const all = await search({ top: 10, max_tokens: 1000 }, handler);
  assertEquals([all.found.length, all.response.cut, all.response.next_cursor], [10, undefined, "10"]);
});

Deno.test("a token budget shortens the only result's text, and keeps the cursor", async () => {
  const result = {
    chunk_id: 1,
    document_id: 1,
    score: 1,
    text: "word ".repeat(500),
    snippet: "word ".repeat(500),
  };
  const handler = () => Promise.resolve(Response.json({ results: [result], next_cursor: "1" }));
  const { response } = await search({ max_tokens: 200 }, handler);
  assertEquals<unknown>(response.cut, { omitted: 0, text_cut: true });
  assertEquals([response.results[0]!.text.endsWith("word…"), response.next_cursor], [true, "1"]);
});
