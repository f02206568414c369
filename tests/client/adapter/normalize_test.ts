import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../../src/client/mod.ts";

function clientOf(body: unknown): EngineClient {
  const text = body === undefined ? null : JSON.stringify(body);
  const init = body === undefined ? { status: 204 } : {};
  return new EngineClient({ baseUrl: "http://e", fetch: () => Promise.resolve(new Response(text, init)) });
}

type Send = (client: EngineClient) => Promise<unknown>;
const NOTE = { document_id: "d", title: null, doc_type: "note", tags: [] };

const CASES: [string, unknown, Send, unknown][] = [
  ["a job's id may be named id", { id: "j-1", status: "done", lane: 4 }, (c) => c.job("j-1"), {
    job_id: "j-1",
    status: "done",
    lane: 4,
  }],
  ["a field of the contract wins over an id", { id: 9, job_id: 1, status: "done" }, (c) => c.job(1), {
    id: 9,
    job_id: 1,
    status: "done",
  }],
  ["an accepted job may have no status", { id: 5 }, (c) => c.addNote({ text: "x", tags: [] }), {
    job_id: 5,
    status: "queued",
  }],
  ["jobs may come as a bare array", [{ id: 1, status: "done" }], (c) => c.jobs(), {
    jobs: [{ job_id: 1, status: "done" }],
  }],
  ["jobs may come as items", { items: [{ id: 1, status: "done" }], total: 1 }, (c) => c.jobs(), {
    jobs: [{ job_id: 1, status: "done" }],
    total: 1,
  }],
  [
    "documents may come as results, without titles and tags",
    { results: [{ id: "d", doc_type: "note", tags: null }] },
    (c) => c.documents(),
    { documents: [NOTE] },
  ],
  [
    "a document's chunks may have ids and contents",
    { id: "d", doc_type: "note", chunks: [{ id: 3, content: "words", page: 1 }] },
    (c) => c.document("d"),
    { ...NOTE, chunks: [{ chunk_id: 3, text: "words", page: 1 }], chunks_total: 1, chunks_offset: 0 },
  ],
  [
    "search results may come as a bare array of contents",
    [{ id: 1, document_id: 2, content: "words", score: 0.5 }],
    (c) => c.search({ query: "x" }),
    { results: [{ chunk_id: 1, document_id: 2, text: "words", score: 0.5, tags: [] }] },
  ],
  [
    "optional fields of a search with another type are dropped",
    {
      results: [],
      total: { value: 3 },
      next_cursor: 4,
      vectors: "384",
      cut: true,
      filters_applied: ["a"],
      only_similar: 1,
      unknown_words: "x",
      took: 1,
    },
    (c) => c.search({ query: "x" }),
    { results: [], took: 1 },
  ],
  [
    "an updated note is a document",
    { id: "d", doc_type: "note" },
    (c) => c.updateNote("d", { text: "x" }),
    NOTE,
  ],
  ["changed tags may leave out the document", { tags: ["a"] }, (c) => c.changeTags(4, { add: ["a"] }), {
    document_id: 4,
    tags: ["a"],
  }],
  ["a deletion may have a response without content", undefined, (c) => c.deleteDocument(4), {
    status: "deleted",
    document_id: 4,
  }],
  ["a deletion may have a response with other fields", { deleted: true }, (c) => c.deleteDocument("d"), {
    status: "deleted",
    document_id: "d",
    deleted: true,
  }],
  ["vectors may be a number", { version: "3.1.0", vectors: 12 }, (c) => c.status(), {
    version: "3.1.0",
  }],
  ["sources may be a number", { version: "3.1.0", sources: 12 }, (c) => c.status(), {
    version: "3.1.0",
  }],
  ["documents may be a number", { version: "3.1.0", documents: 12 }, (c) => c.status(), {
    version: "3.1.0",
    documents: { total: 12, by_type: {}, by_collection: {} },
  }],
];

for (const [name, body, call, expected] of CASES) {
  Deno.test(`third-party engine: ${name}`, async () => {
    assertEquals(await call(clientOf(body)), expected);
  });
}

const CALLS: Send[] = [
  (c) => c.status(),
  (c) => c.search({ query: "x" }),
  (c) => c.addNote({ text: "x", tags: [] }),
  (c) => c.job(1),
  (c) => c.jobs(),
  (c) => c.document(1),
  (c) => c.documents(),
  (c) => c.changeTags(1, {}),
  (c) => c.updateNote(1, { text: "x" }),
  (c) => c.deleteDocument(1),
];

for (const body of [null, 1, "text", [1], [null], { items: [null] }, { results: [7] }, { documents: {} }]) {
  Deno.test(`a body of ${JSON.stringify(body)} fails as invalid_response, if at all`, async () => {
    for (const call of CALLS) {
      try {
        await call(clientOf(body));
      } catch (error) {
        assertEquals((error as EngineError).code, "invalid_response");
      }
    }
    await assertRejects(() => clientOf(body).job(1), EngineError);
  });
}
