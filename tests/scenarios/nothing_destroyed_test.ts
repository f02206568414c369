/** Adding notes and files destroys and moves nothing in silence (issue 12, section 1). */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import type { Harness } from "../support/harness.ts";
import { scenario } from "../support/scenario.ts";

const manual = new TextEncoder().encode("# curl\n\nTransfers data from or to a server.");

async function upload(kb: Harness, more: Record<string, unknown>) {
  const { upload_id } = await kb.call(kbUploadStart, {
    filename: "curl.md",
    total_size: manual.length,
    ...more,
  });
  await kb.call(kbUploadChunk, { upload_id, data: manual.toBase64(), chunk_index: 0 });
  return await kb.call(kbUploadFinish, { upload_id });
}

const tagsOf = async (kb: Harness, id: string | number | undefined) =>
  (await kb.engine.document(id!, { chunks: false })).tags;

scenario("Nothing is destroyed / A repeated memory without collection never leaves memory", async (kb) => {
  const text = "The user prefers short answers.";
  const first = await kb.call(kbAddNote, { text, collection: "memory", tags: ["style"] });
  for (const args of [{ text }, { text, tags: ["again"] }, { text, source_path: "memory/style.md" }]) {
    const again = await kb.call(kbAddNote, args);
    assertEquals([again.outcome, again.document_id], ["duplicate", first.document_id]);
    assertEquals([again.collection, again.moved_from], ["memory", undefined]);
    assertStringIncludes(String(again.note), 'It stays in "memory".');
  }
  assertEquals((await tagsOf(kb, first.document_id)).toSorted(), ["again", "collection:memory", "style"]);
});

scenario(
  "Nothing is destroyed / A duplicate moves if the call names another collection, and says so",
  async (kb) => {
    const text = "The user prefers short answers.";
    const first = await kb.call(kbAddNote, { text, collection: "memory" });
    const moved = await kb.call(kbAddNote, { text, collection: "workspace" });
    assertEquals([moved.outcome, moved.document_id], ["duplicate", first.document_id]);
    assertEquals([moved.collection, moved.moved_from], ["workspace", "memory"]);
    assertEquals(await tagsOf(kb, first.document_id), ["collection:workspace"]);
  },
);

scenario(
  "Nothing is destroyed / A note does not replace a file at its source_path, unless told to",
  async (kb) => {
    const file = await upload(kb, { source_path: "docs/curl.md", title: "curl manual" });
    const note = { text: "See curl manual.", source_path: "docs/curl.md" };
    const { next, job_id: _, ...conflict } = await kb.call(kbAddNote, note);
    assertEquals(conflict, {
      status: "failed",
      outcome: "conflict",
      document_id: file.document_id,
      title: "curl manual",
      doc_type: "markdown",
      collection: "documents",
      size_bytes: manual.length,
    });
    assertMatch(next ?? "", /^Nothing was changed/);
    const { chunks } = await kb.engine.document(file.document_id!);
    assertStringIncludes(chunks?.map(({ text }) => text).join() ?? "", "Transfers data");

    const replaced = await kb.call(kbAddNote, { ...note, overwrite: true });
    assertEquals([replaced.outcome, replaced.document_id], ["replaced", file.document_id]);
    assert(Number.isInteger(replaced.restorable_version));
    assertStringIncludes(replaced.next ?? "", "kb_restore");
  },
);

scenario(
  "Nothing is destroyed / A source_path of another collection is a conflict, of the same one replaces",
  async (kb) => {
    const path = { source_path: "memory/style.md" };
    const first = await kb.call(kbAddNote, { ...path, text: "Short answers.", collection: "memory" });
    const other = await kb.call(kbAddNote, { ...path, text: "Long answers.", collection: "workspace" });
    assertEquals([other.outcome, other.document_id, other.collection], [
      "conflict",
      first.document_id,
      "memory",
    ]);
    for (const args of [{ text: "Long answers." }, { text: "Medium answers.", collection: "memory" }]) {
      const replaced = await kb.call(kbAddNote, { ...path, ...args });
      assertEquals([replaced.outcome, replaced.document_id], ["replaced", first.document_id]);
      assertEquals(replaced.collection, "memory");
      assert(Number.isInteger(replaced.restorable_version));
    }
  },
);

scenario(
  "Nothing is destroyed / A file does not replace a note, unless kb_upload_start says overwrite",
  async (kb) => {
    const source_path = "curl.md";
    const note = await kb.call(kbAddNote, { text: "Notes on curl.", source_path });
    const conflict = await upload(kb, { source_path });
    assertEquals([conflict.outcome, conflict.document_id], ["conflict", note.document_id]);
    assertEquals((await kb.engine.document(note.document_id!)).doc_type, "note");
    const replaced = await upload(kb, { source_path, overwrite: true });
    assertEquals([replaced.outcome, replaced.document_id], ["replaced", note.document_id]);
  },
);
