import { assertEquals } from "@std/assert";
import type { SearchResponse } from "../../src/contract/mod.ts";
import { encodeSearchPage, presentResults } from "../../src/presentation/mod.ts";

const RESPONSE: SearchResponse = {
  mode: "fts",
  total: 7,
  results: [1, 1, 2, 3, 4].map((document_id, n) => ({
    chunk_id: n,
    document_id,
    index: n,
    score: 1 / (n + 3),
    text: `"Water" the\u200b ferns … \\ and\nthe 🌱 \ud800.`,
    title: `Ferns ${document_id}`,
    doc_type: "markdown",
    tags: ["collection:memory", "garden"],
    updated_at: "2026-03-31T09:00:00.123Z",
  })),
};

const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

Deno.test("encodeSearchPage: the JSON and its quoted form are those of the presented results", () => {
  const page = encodeSearchPage(RESPONSE, "2026-03-31");
  const json = JSON.stringify(presentResults(RESPONSE.results, "2026-03-31"));
  assertEquals(decode(page.json), json);
  assertEquals(`"${decode(page.quoted)}"`, JSON.stringify(json));
  assertEquals([page.count, page.chars], [5, json.length]);
  assertEquals(page.response, { ...RESPONSE, results: [] });
});

Deno.test("encodeSearchPage names the first three documents", () => {
  const { documents } = encodeSearchPage(RESPONSE, "2026-03-31");
  assertEquals(documents, ["1", "2", "3"].map((id) => ({ id, name: `Ferns ${id}` })));
});

Deno.test("presentResults: fields of a document are on its first result, and a memory of today has no date", () => {
  const [first, second] = presentResults(RESPONSE.results, "2026-03-30");
  assertEquals([first?.["title"], first?.["updated_at"], first?.["tags"]], [
    "Ferns 1",
    "2026-03-31",
    ["garden"],
  ]);
  assertEquals([second?.["title"], second?.["updated_at"], second?.["collection"]], [
    undefined,
    undefined,
    "memory",
  ]);
  assertEquals(presentResults(RESPONSE.results, "2026-03-31")[0]?.["updated_at"], undefined);
});
