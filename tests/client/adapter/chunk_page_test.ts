import { assertEquals } from "@std/assert";
import { EngineClient } from "../../../src/client/mod.ts";

const CHUNKS = ["a", "b", "c", "d", "e"].map((text, i) => ({ chunk_id: i, text }));

function clientOf(fields: Record<string, unknown>): EngineClient {
  const document = { document_id: 1, title: null, doc_type: "note", tags: [], ...fields };
  return new EngineClient({ baseUrl: "http://e", fetch: () => Promise.resolve(Response.json(document)) });
}

Deno.test("the page is cut out of the chunks of an engine that returns all of them", async () => {
  const client = clientOf({ chunks: CHUNKS });
  const { chunks, chunks_total, chunks_offset } = await client.document(1, { offset: 1, limit: 2 });
  assertEquals(chunks?.map(({ text }) => text), ["b", "c"]);
  assertEquals([chunks_total, chunks_offset], [5, 1]);
  assertEquals((await client.document(1, { offset: 9, limit: 2 })).chunks, []);
});

Deno.test("a page of an engine that supports pages stays as it is", async () => {
  const client = clientOf({ chunks: CHUNKS.slice(1, 3), chunks_total: 5, chunks_offset: 1 });
  const { chunks, chunks_total } = await client.document(1, { offset: 1, limit: 2 });
  assertEquals([chunks?.map(({ text }) => text), chunks_total], [["b", "c"], 5]);
});

Deno.test("a document without chunks has an empty page", async () => {
  const { chunks, chunks_total } = await clientOf({}).document(1);
  assertEquals([chunks, chunks_total], [[], 0]);
});

Deno.test("chunks that were not requested are dropped", async () => {
  const document = await clientOf({ chunks: CHUNKS, chunks_total: 5 }).document(1, { chunks: false });
  assertEquals(["chunks" in document, "chunks_total" in document], [false, false]);
});
