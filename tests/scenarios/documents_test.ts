import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Get document tool / Get by document ID: GETs the document and returns its details with chunks",
  async (kb) => {
    const id = await kb.note({ text: "The boiler is serviced in May.", title: "Boiler", tags: ["house"] });
    kb.calls.length = 0;

    const document = await kb.call(kbGet, { document_id: id });

    assertEquals(kb.paths(), [`GET /api/v1/documents/${id}`]);
    assertEquals([document.title, document.doc_type, document.tags], ["Boiler", "note", ["house"]]);
    assertEquals(document.chunks?.map((chunk) => chunk.text), ["The boiler is serviced in May."]);
    assertEquals(document.chunks_total, 1);
  },
);

scenario("Get document tool / Get by source path: queries the documents by source path", async (kb) => {
  const source_path = "memory/feedback_testing.md";
  const id = await kb.note({ text: "Write tests first.", source_path, collection: "memory" });
  await kb.note({ text: "Something else.", source_path: "memory/other.md" });
  kb.calls.length = 0;

  const { documents, total } = await kb.call(kbGet, { source_path });

  assertEquals(kb.calls[0]?.method, "GET");
  assertEquals(kb.calls[0]?.url.pathname, "/api/v1/documents");
  assertEquals(kb.calls[0]?.url.searchParams.get("source_path"), source_path);
  assertEquals([documents?.length, total], [1, 1]);
  assertEquals(String(documents?.[0]?.document_id), String(id));
  assertEquals((documents?.[0]?.chunks as { text: string }[])[0]?.text, "Write tests first.");
});

scenario(
  "Get document tool / Get results strip collection tags: the collection is separate from the other tags",
  async (kb) => {
    const id = await kb.note({
      text: "Likes tea.",
      collection: "memory",
      tags: ["drinks"],
      source_path: "memory/tea.md",
    });

    const document = await kb.call(kbGet, { document_id: id });
    const { documents } = await kb.call(kbGet, { source_path: "memory/tea.md" });

    assertEquals([document.collection, document.tags], ["memory", ["drinks"]]);
    assertEquals([documents?.[0]?.collection, documents?.[0]?.tags], ["memory", ["drinks"]]);
  },
);

scenario(
  "kb_delete: DELETEs one document and returns status, id and title (seed 004, decision 2 and 3)",
  async (kb) => {
    const id = await kb.note({ text: "An obsolete heading pump.", title: "Obsolete" });
    const kept = await kb.note({ text: "A heading pump that stays." });
    kb.calls.length = 0;

    const deleted = await kb.call(kbDelete, { document_id: id });

    assertEquals(kb.paths(), [`DELETE /api/v1/documents/${id}`]);
    assertEquals([deleted.status, String(deleted.document_id), deleted.title], [
      "deleted",
      String(id),
      "Obsolete",
    ]);
    const { results } = await kb.call(kbSearch, { query: "heading pump" });
    assertEquals(results.map((hit) => String(hit.document_id)), [String(kept)]);
    const error = await assertRejects(() => kb.call(kbDelete, { document_id: id }), EngineError);
    assertEquals(error.code, "not_found");
    assertStringIncludes(error.message, String(id));
    assert(kept !== id);
  },
);
