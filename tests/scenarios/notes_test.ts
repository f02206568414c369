import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { samplePdf } from "../support/samples.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Add note tool / Add a note with default collection: POSTs a job with collection:documents",
  async (kb) => {
    const output = await kb.call(kbAddNote, { text: "User prefers concise responses" });

    assertEquals(kb.sent("POST", "/api/v1/jobs"), [
      {
        text: ["User prefers concise responses"],
        tags: ["collection:documents"],
        keep_collection: ["true"],
      },
    ]);
    assert(output.job_id !== undefined);
    assertEquals([output.status, output.outcome, output.collection], ["done", "created", "documents"]);
    assert(output.document_id !== undefined);
  },
);

scenario(
  "Add note tool / Add a note to a specific collection: sends collection:memory and the tags",
  async (kb) => {
    await kb.call(kbAddNote, {
      text: "User prefers concise responses",
      collection: "memory",
      tags: ["feedback"],
    });

    const [form] = kb.sent("POST", "/api/v1/jobs") as { tags: string[] }[];
    assertEquals(form?.tags, ["collection:memory", "feedback"]);
  },
);

scenario(
  "Add note tool / Add a note to a collection replaces existing collection tag: exactly one remains",
  async (kb) => {
    const first = await kb.note({ text: "some note" });
    const again = await kb.call(kbAddNote, { text: "some note", collection: "memory" });

    assertEquals([again.outcome, String(again.document_id)], ["duplicate", String(first)]);
    const { tags } = await kb.engine.document(first, { chunks: false });
    assertEquals(tags.filter((tag) => tag.startsWith("collection:")), ["collection:memory"]);
  },
);

scenario(
  "Update note tool / Update an existing note: PATCHes /api/v1/notes/{id} and returns the document",
  async (kb) => {
    const id = await kb.note({ text: "Prefers long prose.", collection: "memory", tags: ["style"] });
    kb.calls.length = 0;

    const text = "Updated preference: user prefers bullet points";
    const document = await kb.call(kbUpdateNote, { document_id: id, text });

    assertEquals(kb.sent("PATCH", `/api/v1/notes/${id}`), [{ text }]);
    assertEquals(String(document.document_id), String(id));
    assertEquals([document.collection, document.tags], ["memory", ["style"]]);
    assert(typeof document.updated_at === "string", "a modified document has updated_at (D4)");
    assertEquals(document.chunk_count, 1);
    assertEquals((document.chunks as { text: string }[]).map((chunk) => chunk.text), [text]);
    const found = await kb.call(kbSearch, { query: "bullet points" });
    assertEquals(found.results.map((hit) => String(hit.document_id)), [String(id)]);
    assertEquals((await kb.call(kbSearch, { query: "long prose" })).results, []);
  },
);

scenario(
  "Update note tool / Update a non-existent document: an error says that it does not exist",
  async (kb) => {
    const error = await assertRejects(
      () => kb.call(kbUpdateNote, { document_id: 999, text: "new" }),
      EngineError,
    );
    assertEquals(error.code, "not_found");
    assertStringIncludes(error.message, "999");
  },
);

scenario(
  "Update note tool / Update a non-note document: an error says that only notes can be updated",
  async (kb) => {
    const { document_id: id } = await kb.engine.job(
      await kb.job("report.pdf", samplePdf(["Quarterly figures are up."])),
    );
    const error = await assertRejects(
      () => kb.call(kbUpdateNote, { document_id: id, text: "new" }),
      EngineError,
    );
    assertEquals(error.code, "not_a_note");
    assertStringIncludes(error.message, "only notes can be updated");
    const { chunks } = await kb.call(kbGet, { document_id: id });
    assertStringIncludes(String(chunks?.[0]?.text), "Quarterly figures");
  },
);
