import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { kbStatus } from "../../src/tools/kb_status.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";
import { type Harness, openHarness } from "../support/harness.ts";

function withThirdPartyEngine(name: string, play: (kb: Harness) => Promise<void>): void {
  Deno.test(`third-party engine: ${name}`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
    await play(kb);
  });
}

withThirdPartyEngine("a duplicate ends in the requested collection only", async (kb) => {
  const first = await kb.call(kbAddNote, { text: "the same", collection: "memory", tags: ["a"] });
  kb.calls.length = 0;
  const again = await kb.call(kbAddNote, { text: "the same", collection: "workspace", tags: ["b"] });

  assertEquals([again.document_id, again.outcome], [first.document_id, undefined]);
  const path = `/api/v1/documents/${first.document_id}/tags`;
  assertEquals(kb.sent("POST", path), [
    { remove: ["collection:memory"], add: ["collection:workspace"], remove_prefix: "collection:" },
  ]);
  const document = await kb.call(kbGet, { document_id: first.document_id });
  assertEquals([document.collection, document.tags], ["workspace", ["a", "b"]]);
});

withThirdPartyEngine("a duplicate stays in its own collection unless the call names one", async (kb) => {
  const first = await kb.call(kbAddNote, { text: "the same", collection: "memory" });
  const again = await kb.call(kbAddNote, { text: "the same" });

  assertEquals([again.document_id, again.collection], [first.document_id, "memory"]);
  const { tags } = await kb.engine.document(first.document_id!, { chunks: false });
  assertEquals(tags, ["collection:memory"]);
});

withThirdPartyEngine("a new note needs no tag change", async (kb) => {
  await kb.call(kbAddNote, { text: "new here" });
  const changes = kb.calls.filter(({ url }) => url.pathname.endsWith("/tags"));
  assertEquals(changes, []);
});

withThirdPartyEngine("ids are strings, and unknown fields pass through", async (kb) => {
  const { document_id } = await kb.call(kbAddNote, { text: "strings", source_path: "a b/ü.md" });
  const { results, mode } = await kb.call(kbSearch, { query: "strings" });
  assertEquals([results[0]?.document_id, results[0]?.["cluster"], mode], [document_id, "a", undefined]);
  const moved = await kb.call(kbSetCollection, { document_id, collection: "memory" });
  assertEquals([moved.document_id, moved.previous_collection], [document_id, "documents"]);
  assertEquals((await kb.call(kbStatus, {})).engine, { version: "3.1.4", gpu: "none" });
  const found = await kb.call(kbGet, { source_path: "a b/ü.md" });
  assertEquals([found.documents?.[0]?.document_id, found.total], [document_id, 1]);
});

withThirdPartyEngine("chunks have pages", async (kb) => {
  const { document_id } = await kb.call(kbAddNote, { text: "0\n1\n2\n3\n4" });
  const seen = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const page: Awaited<ReturnType<typeof kbGet.run>> = await kb.call(kbGet, {
      document_id,
      offset,
      limit: 2,
    });
    seen.push(page.chunks?.map(({ index, text }) => [index, text]));
    assertEquals(page.chunks_total, 5);
    offset = page.next_offset;
  }
  assertEquals(seen, [[[0, "0\n\n1"]], [[2, "\n\n2\n\n3"]], [[4, "\n\n4"]]]);
  const beyond = await kb.call(kbGet, { document_id, offset: 9 });
  assertEquals([beyond.chunks, beyond.next_offset], [[], undefined]);
});

withThirdPartyEngine("a missing document is an error", async (kb) => {
  const error = await assertRejects(() => kb.call(kbGet, { document_id: "doc-99" }), EngineError);
  assertEquals(error.code, "not_found");
});

withThirdPartyEngine("notes are found by any tag, by no tag, and in several collections", async (kb) => {
  await kb.call(kbAddNote, { text: "one", collection: "memory", tags: ["red"] });
  await kb.call(kbAddNote, { text: "two", collection: "workspace", tags: ["blue"] });
  await kb.call(kbAddNote, { text: "three", tags: ["red", "blue"] });
  const search = async (args: Record<string, unknown>) => {
    const { results, ...rest } = await kb.call(kbSearch, { query: "note", ...args });
    return [results.map(({ text }) => text), rest["filters_applied"]];
  };
  assertEquals(await search({ tags_any: ["red"] }), [["one", "three"], { tags_any: ["red"] }]);
  assertEquals(await search({ tags_none: ["red"] }), [["two"], { tags_none: ["red"] }]);
  const collection = ["memory", "workspace"];
  assertEquals(await search({ collection }), [["one", "two"], { collection }]);
});
