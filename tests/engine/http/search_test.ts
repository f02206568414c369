import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

/** Invalid search requests, with a part of the error message. */
const INVALID: [problem: string, body: Record<string, unknown>, message: string][] = [
  ["an unknown mode", { mode: "semantic" }, 'mode must be one of "hybrid", "fts", "vector", got "semantic"'],
  ["an unknown detail", { detail: "all" }, 'detail must be one of "snippet", "chunk", "context", got "all"'],
  ["a budget under the minimum", { max_tokens: 49 }, "max_tokens must be at least 50, got 49"],
  ["a budget over the maximum", { max_tokens: 1_000_001 }, "max_tokens must be at most 1000000, got 1000001"],
  ["a fractional budget", { max_tokens: 99.5 }, "max_tokens must be a whole number"],
  ["per_document under the minimum", { per_document: 0 }, "per_document must be"],
  ["per_document over the maximum", { per_document: 51 }, "per_document must be at most 50, got 51"],
  ["tags that are not a list", { tags_any: "x" }, 'tags_any must be a list, got "x"'],
  ["too many collections", { collections: Array(65).fill("a") }, "collections must"],
  ["a malformed cursor", { cursor: "!!" }, "cursor must be the next_cursor of the previous page"],
  ["a cursor that is not a string", { cursor: 3 }, "cursor must be a string, got 3"],
  ["a malformed time", { since: "yesterday" }, "since must be a date such as"],
  ["vector mode without a model", { mode: "vector" }, "KB_EMBEDDINGS_MODEL"],
  ["vec_only without a model", { vec_only: true }, "KB_EMBEDDINGS_MODEL"],
  [
    "conflicting modes",
    { fts_only: true, mode: "vector" },
    "mode must be fts, or fts_only must be left out",
  ],
];

Deno.test("POST search: rejects invalid requests", async (t) => {
  await using engine = await EmbeddedEngine.open();
  for (const [problem, body, message] of INVALID) {
    await t.step(problem, async () => {
      const response = await engine.call("search", { body: { query: "heron", ...body } });
      assertEquals([response.status, response.body.error?.code], [400, "invalid"]);
      assertStringIncludes(response.body.error.message, message);
    });
  }
});

Deno.test("POST search: returns pages with the total and the applied filters", async () => {
  await using engine = await EmbeddedEngine.open();
  for (let n = 0; n < 5; n++) {
    await engine.ingest({ text: `Heron ${n}.`, title: `t${n}`, tags: ["collection:memory", `n${n}`] });
  }
  const request = { query: "heron", top: 2, collections: ["memory", "documents"], tags_none: ["n1"] };
  const first = await engine.call("search", { body: request });
  assertEquals(first.status, 200);
  assertEquals([first.body.mode, first.body.total, first.body.results.length], ["fts", 4, 2]);
  assertEquals(first.body.filters_applied, {
    collections: ["memory", "documents"],
    tags_none: ["n1"],
  });
  for (const field of ["warning", "corrections", "cut", "vectors"]) assert(!(field in first.body), field);
  const second = await engine.call("search", { body: { ...request, cursor: first.body.next_cursor } });
  assertEquals([second.body.results.length, second.body.next_cursor], [2, null]);
  const found = [...first.body.results, ...second.body.results].map(({ title }) => title);
  assertEquals(found.toSorted(), ["t0", "t2", "t3", "t4"]);
});

Deno.test("POST search: leaves out documents that are deleted between pages", async () => {
  await using engine = await EmbeddedEngine.open();
  const ids: unknown[] = [];
  for (let n = 0; n < 6; n++) ids.push((await engine.ingest({ text: `Heron ${n}.` })).document_id);
  const first = await engine.call("search", { body: { query: "heron", top: 2 } });
  const [, gone] = first.body.results;
  await engine.call("deleteDocument", { id: gone.document_id });
  await engine.call("deleteDocument", { id: Number(ids.at(-1)) });
  const second = await engine.call("search", {
    body: { query: "heron", top: 50, cursor: first.body.next_cursor },
  });
  assertEquals([second.status, second.body.total, second.body.next_cursor], [200, 4, null]);
  const seen = first.body.results.map((hit: { document_id: number }) => hit.document_id);
  for (const hit of second.body.results) {
    assert(!seen.includes(hit.document_id) && hit.document_id !== ids.at(-1));
  }
});

Deno.test("POST search: searches inside one document, under a path, and by metadata", async () => {
  await using engine = await EmbeddedEngine.open();
  const texts = ["Heron one.", "---\nstatus: done\n---\nHeron two.", "---\nstatus: open\n---\nHeron three."];
  for (const [n, text] of texts.entries()) await engine.ingest({ text, source_path: `notes/${n}.md` });
  const cases: [Record<string, unknown>, number[]][] = [
    [{ document_id: 2 }, [2]],
    [{ document_id: "2" }, [2]],
    [{ document_id: 99 }, []],
    [{ source_path_prefix: "notes/" }, [1, 2, 3]],
    [{ source_path_prefix: "notes/1" }, [2]],
    [{ metadata: { status: "done" } }, [2]],
    [{ document_id: 3, metadata: { status: "done" } }, []],
  ];
  for (const [filters, expected] of cases) {
    const { body } = await engine.call("search", { body: { query: "heron", ...filters } });
    const found = body.results.map((hit: { document_id: number }) => hit.document_id);
    assertEquals([found.toSorted(), body.filters_applied], [expected, filters]);
  }
});
