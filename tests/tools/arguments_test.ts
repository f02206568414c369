import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { CollectionError } from "../../src/collections/mod.ts";
import { type Tool, ToolError } from "../../src/tools/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { openHarness } from "../support/harness.ts";

/** Fails if the engine is called. */
const NO_ENGINE = () => {
  throw new Error("the engine was called");
};

const REJECTED: [tool: Tool, args: Record<string, unknown>, message: string][] = [
  [kbSearch, { query: "x", collection: "memeory" }, 'Did you mean "memory"?'],
  [kbSearch, { query: "x", tags: ["collection:memory"] }, "`collection` parameter"],
  [kbAddNote, { text: "x", collection: "memeory" }, 'Did you mean "memory"?'],
  [kbAddNote, { text: "x", tags: ["Collection:memory"] }, "`collection` parameter"],
  [kbSetCollection, { document_id: 1, collection: "nowhere" }, "documents, memory, workspace"],
  [kbUploadStart, { filename: "a", total_size: 1, collection: "x" }, "documents, memory, workspace"],
  [kbUploadStart, { filename: "a", total_size: 1, tags: ["collection:x"] }, "`collection` parameter"],
] as unknown as [Tool, Record<string, unknown>, string][];

for (const tool of [kbAddNote, kbUploadStart] as unknown as Tool[]) {
  for (const field of ["title", "source_path"]) {
    Deno.test(`${tool.name} rejects a ${field} that the engine would reject`, () => {
      const args = tool.name === "kb_addnote" ? { text: "x" } : { filename: "a", total_size: 1 };
      for (const value of [" ", "two\nlines", "bell\u0007", "half \ud83d a pair"]) {
        assertEquals(tool.input.safeParse({ ...args, [field]: value }).success, false, JSON.stringify(value));
      }
      assertEquals(tool.input.safeParse({ ...args, [field]: "Ä name 😀" }).success, true);
    });
  }
}

Deno.test("a tag has the rules of a title for its characters", () => {
  const parse = (tag: string) => kbAddNote.input.safeParse({ text: "x", tags: [tag] });
  for (const tag of [" ", "two\nlines", "bell\u0007", "half \ud83d a pair"]) {
    assertStringIncludes(
      String(parse(tag).error?.issues[0]?.message),
      "must have no control characters and no unpaired surrogates",
    );
  }
  assertEquals(parse("Ä name 😀").success, true);
});

for (const [tool, args, message] of REJECTED) {
  Deno.test(`${tool.name} rejects ${JSON.stringify(args)} without the engine`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: NO_ENGINE });
    const error = await assertRejects(() => kb.call(tool, args), CollectionError);
    assertStringIncludes(error.message, message);
    assertEquals(kb.context.uploads.active.uploads, 0);
  });
}

Deno.test("kb_get requires exactly one of document_id and source_path", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: NO_ENGINE });
  for (const args of [{}, { document_id: 1, source_path: "a" }]) {
    const error = await assertRejects(() => kb.call(kbGet, args), ToolError);
    assertStringIncludes(error.message, "document_id");
    assertStringIncludes(error.message, "source_path");
  }
});

Deno.test("kb_jobs rejects job_id together with status", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: NO_ENGINE });
  const error = await assertRejects(() => kb.call(kbJobs, { job_id: 1, status: "failed" }), ToolError);
  assertStringIncludes(error.message, "job_id");
});

Deno.test("an id may be a string of digits, and no id can leave its path segment", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Number or text.", source_path: "a.md" });
  assertEquals((await kb.call(kbGet, { document_id: String(id) })).source_path, "a.md");
  await kb.call(kbUpdateNote, { document_id: String(id), text: "Still the same." });
  await kb.call(kbSetCollection, { document_id: String(id), collection: "memory" });
  for (const hostile of ["../jobs", "1/../1", "..", "1?x=1", "%2e%2e"]) {
    await assertRejects(() => kb.call(kbDelete, { document_id: hostile }));
  }
  assertEquals((await kb.call(kbGet, { document_id: id })).collection, "memory");
  assertEquals((await kb.call(kbDelete, { document_id: String(id) })).status, "deleted");
});
