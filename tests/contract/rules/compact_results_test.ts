import { assertEquals } from "@std/assert";
import { compactResult, firstOfDocuments } from "../../../src/contract/rules/mod.ts";
import type { SearchResult } from "../../../src/contract/mod.ts";

const RESULT: SearchResult = {
  chunk_id: 7,
  document_id: 3,
  index: 4,
  score: 0.0163934,
  text: "Water them.",
  snippet: "Water",
  heading_path: ["Plants", "Ferns"],
  page_start: 2,
  page_end: 2,
  line_start: 9,
  line_end: 12,
  char_start: 100,
  char_end: 111,
  title: "Plants",
  doc_type: "pdf",
  language: "en",
  source_path: "plants.pdf",
  tags: ["collection:documents", "garden"],
  created_at: "2026-03-30T09:00:00.123Z",
  updated_at: "2026-03-31T09:00:00.123Z",
};

Deno.test("the first result of a document has its fields, without what models do not read", () => {
  assertEquals<unknown>(compactResult(RESULT, { isFirst: true }), {
    document_id: 3,
    chunk_id: 7,
    index: 4,
    score: 0.0164,
    tags: ["collection:documents", "garden"],
    heading_path: ["Plants", "Ferns"],
    page_start: 2,
    title: "Plants",
    doc_type: "pdf",
    source_path: "plants.pdf",
    updated_at: "2026-03-31",
    text: "Water them.",
  });
});

Deno.test("a further result of a document has its place, and its collection", () => {
  assertEquals<unknown>(compactResult(RESULT, { isFirst: false }), {
    document_id: 3,
    chunk_id: 7,
    index: 4,
    score: 0.0164,
    tags: ["collection:documents"],
    heading_path: ["Plants", "Ferns"],
    page_start: 2,
    text: "Water them.",
  });
  const ids = [1, 2, "1", 3, 2].map((document_id) => ({ document_id }));
  assertEquals(firstOfDocuments(ids), [true, true, false, true, false]);
});

Deno.test("a short note has neither lines nor what its text says", () => {
  const note = { ...RESULT, heading_path: [], page_start: null, page_end: null, doc_type: "note", index: 0 };
  const fields = (more: Partial<SearchResult>) =>
    Object.keys(compactResult({ ...note, ...more }, { isFirst: true }));
  const bare = ["document_id", "chunk_id", "score", "tags", "source_path", "updated_at", "text"];
  assertEquals(fields({ title: "Water them." }), bare);
  assertEquals(fields({ title: "Water …" }), bare);
  assertEquals(fields({ title: "Ferns" }).includes("title"), true);
  assertEquals(fields({ title: "Ferns", index: 2 }).includes("index"), true);
});

Deno.test("lines locate a chunk without a heading and page", () => {
  const { heading_path: _, ...text } = { ...RESULT, page_start: null, page_end: null };
  const lines = ({ line_start, line_end }: Partial<SearchResult>) => [line_start, line_end];
  assertEquals(lines(compactResult(text, { isFirst: true })), [9, 12]);
  assertEquals(lines(compactResult({ ...text, line_end: 9 }, { isFirst: true })), [9, undefined]);
  assertEquals(lines(compactResult({ ...text, heading_path: ["Ferns"] }, { isFirst: true })), [
    undefined,
    undefined,
  ]);
});

Deno.test("other places of a passage are documents with a name", () => {
  const places = [{ chunk_id: 1, document_id: 5, title: "Copy", source_path: "b.md" }, {
    chunk_id: 2,
    document_id: 6,
    title: null,
    source_path: "c.md",
  }];
  assertEquals<unknown>(compactResult({ ...RESULT, also_in: places }, { isFirst: false }).also_in, [
    { document_id: 5, title: "Copy" },
    { document_id: 6, title: "c.md" },
  ]);
});
