import { assertEquals } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Collection management via tags / Default collection on addnote: applies collection:documents",
  async (kb) => {
    const { document_id } = await kb.call(kbAddNote, { text: "No collection named." });
    assertEquals((await kb.engine.document(document_id!, { chunks: false })).tags, ["collection:documents"]);
  },
);

scenario(
  "Collection management via tags / Explicit collection on addnote: applies collection:memory",
  async (kb) => {
    const { document_id } = await kb.call(kbAddNote, { text: "Memory named.", collection: "memory" });
    assertEquals((await kb.engine.document(document_id!, { chunks: false })).tags, ["collection:memory"]);
  },
);

scenario(
  "Collection management via tags / Exclusive collection enforcement: removes the old tag, then adds the new",
  async (kb) => {
    const id = await kb.note({ text: "Moves house.", tags: ["kept"] });
    kb.calls.length = 0;

    const moved = await kb.call(kbSetCollection, { document_id: id, collection: "memory" });

    assertEquals(kb.sent("POST", `/api/v1/documents/${id}/tags`), [
      { remove: ["collection:documents"], add: ["collection:memory"], remove_prefix: "collection:" },
    ]);
    const { collection, previous_collection, tags: otherTags, version } = moved;
    assertEquals([collection, previous_collection, otherTags, version], ["memory", "documents", ["kept"], 2]);
    const { tags } = await kb.engine.document(id, { chunks: false });
    assertEquals(tags.toSorted(), ["collection:memory", "kept"]);
  },
);

scenario(
  "Collection management via tags / Collection field in search results: at the top level, not among the tags",
  async (kb) => {
    await kb.note({ text: "Alpha particle.", tags: ["physics"] });
    await kb.note({ text: "Alpha channel.", collection: "workspace", tags: ["graphics"] });

    const { results } = await kb.call(kbSearch, { query: "alpha" });

    const seen = results.map(({ collection, tags = [] }) => [collection, ...tags].join(" ")).toSorted();
    assertEquals(seen, ["documents physics", "workspace graphics"]);
  },
);

scenario("kb_set_collection: assigns a collection to an existing document (seed 004)", async (kb) => {
  const id = await kb.note({ text: "Belongs elsewhere.", tags: ["a"] });

  const moved = await kb.call(kbSetCollection, { document_id: id, collection: "workspace" });

  assertEquals([moved.collection, moved.previous_collection], ["workspace", "documents"]);
  const { results } = await kb.call(kbSearch, { query: "belongs elsewhere", collection: "workspace" });
  assertEquals(results.map((hit) => String(hit.document_id)), [String(id)]);
  assertEquals((await kb.call(kbSearch, { query: "belongs", collection: "documents" })).results, []);
});

scenario("kb_set_collection: null clears the collection and keeps the other tags (seed 004)", async (kb) => {
  const id = await kb.note({ text: "Belongs nowhere.", tags: ["a"] });

  const cleared = await kb.call(kbSetCollection, { document_id: id, collection: null });

  assertEquals([cleared.collection, cleared.previous_collection, cleared.tags], [null, "documents", ["a"]]);
  assertEquals((await kb.engine.document(id, { chunks: false })).tags, ["a"]);
  assertEquals((await kb.call(kbSearch, { query: "belongs nowhere" })).results.length, 1);
});

scenario("kb_set_collection: concurrent moves leave exactly one collection", async (kb) => {
  const id = await kb.note({ text: "Wanted twice.", tags: ["a"] });
  for (let round = 0; round < 40; round++) {
    const targets = round % 2 === 0 ? ["memory", "workspace"] : ["documents", "memory"];
    await Promise.all(targets.map((collection) => kb.call(kbSetCollection, { document_id: id, collection })));
    const { tags } = await kb.engine.document(id, { chunks: false });
    assertEquals(tags.filter((tag) => tag.startsWith("collection:")).length, 1, tags.join());
    assertEquals(tags.filter((tag) => !tag.startsWith("collection:")), ["a"]);
  }
});

scenario("kb_set_collection: a document that is in the collection already is not changed", async (kb) => {
  const id = await kb.note({ text: "Stays.", collection: "memory" });
  kb.calls.length = 0;

  const moved = await kb.call(kbSetCollection, { document_id: id, collection: "memory" });

  assertEquals([moved.collection, moved.previous_collection], ["memory", "memory"]);
  assertEquals(kb.paths(), [`GET /api/v1/documents/${id}`]);
});

scenario("kb_set_collection: a move is one read and one change", async (kb) => {
  const id = await kb.note({ text: "Moves once." });
  kb.calls.length = 0;

  await kb.call(kbSetCollection, { document_id: id, collection: "memory" });

  assertEquals(kb.paths(), [`GET /api/v1/documents/${id}`, `POST /api/v1/documents/${id}/tags`]);
});

scenario("kb_addnote: a duplicate in the same collection sends no tag change", async (kb) => {
  await kb.note({ text: "Stored twice." });
  kb.calls.length = 0;

  assertEquals((await kb.call(kbAddNote, { text: "Stored twice." })).outcome, "duplicate");

  assertEquals(kb.paths().filter((path) => path.endsWith("/tags")), []);
});
