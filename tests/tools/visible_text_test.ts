import { assertEquals, assertStringIncludes } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbEdit } from "../../src/tools/kb_edit.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { openHarness } from "../support/harness.ts";

/** Adds characters that only a model reads, and a control that reverses the text for people. */
const hide = (text: string) => `${text.slice(0, 1)}\u{e0068}\u{e0069}\u202e\u200b${text.slice(1)}`;

const DOCUMENT = {
  document_id: "d\u200b1",
  title: hide("title"),
  doc_type: "note",
  source_path: hide("path"),
  tags: ["collection:documents", hide("tag")],
  chunks: [{ chunk_id: 1, text: hide("text"), heading_path: [hide("heading")] }],
};

/** An engine that always returns the same document, with hidden characters. */
function hidingEngine(request: Request): Response {
  const { pathname } = new URL(request.url);
  const job = { job_id: 1, status: "done", outcome: "duplicate", document_id: 1, error: hide("none") };
  if (pathname === "/api/v1/jobs") {
    return request.method === "GET" ? Response.json({ jobs: [job] }) : Response.json(job, { status: 202 });
  }
  if (pathname.startsWith("/api/v1/jobs/")) return Response.json(job);
  if (pathname === "/api/v1/documents") return Response.json({ documents: [DOCUMENT, DOCUMENT] });
  if (request.method === "PATCH" && pathname.startsWith("/api/v1/documents/")) {
    const edit = { changed: true, excerpts: [{ line: 1, text: hide("text") }] };
    return Response.json({ ...DOCUMENT, chunks: undefined, version: 2, ...edit });
  }
  if (pathname === "/api/v1/status") return Response.json({ version: "3.3.0" });
  if (request.method === "DELETE") return Response.json({ ...DOCUMENT, status: "deleted" });
  if (pathname.endsWith("/tags")) {
    return Response.json({ ...DOCUMENT, tags: ["collection:memory", hide("tag")] });
  }
  return Response.json(DOCUMENT);
}

const CALLS: [
  name: string,
  tool: Parameters<Awaited<ReturnType<typeof openHarness>>["call"]>[0],
  args: unknown,
][] = [
  ["kb_get by id", kbGet, { document_id: DOCUMENT.document_id }],
  ["kb_get by source_path", kbGet, { source_path: "path" }],
  ["kb_addnote of a duplicate", kbAddNote, { text: "text" }],
  ["kb_update_note", kbUpdateNote, { document_id: DOCUMENT.document_id, text: "text" }],
  ["kb_edit", kbEdit, { document_id: DOCUMENT.document_id, append: "text" }],
  ["kb_set_collection", kbSetCollection, { document_id: DOCUMENT.document_id, collection: "memory" }],
  ["kb_delete", kbDelete, { document_id: DOCUMENT.document_id }],
  ["kb_jobs", kbJobs, {}],
];
for (const [name, tool, args] of CALLS) {
  Deno.test(`${name} returns no invisible characters`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: hidingEngine });
    const { document_id: _, ...output } = await kb.call(tool, args);
    const text = JSON.stringify(output).replaceAll(DOCUMENT.document_id, "");
    assertEquals(text.match(/[\u{e0000}-\u{e007f}\u202e\u200b]/gu), null);
    assertStringIncludes(text, name === "kb_jobs" ? "none" : name === "kb_set_collection" ? "tag" : "path");
  });
}

Deno.test("a chunk has only visible text, and its document the unchanged id", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: hidingEngine });
  const { document_id, chunks } = await kb.call(kbGet, { document_id: 1 });
  assertEquals<unknown>(document_id, DOCUMENT.document_id);
  assertEquals<unknown>(chunks, [{ index: 0, chunk_id: 1, heading_path: ["heading"], text: "text" }]);
});
