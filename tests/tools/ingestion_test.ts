import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { openHarness } from "../support/harness.ts";
import type { Handler } from "../support/recorder.ts";

/** An engine that accepts every job, and sends the given responses by path prefix. */
function engineThat(responses: Record<string, () => Response>): Handler {
  return (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === "/api/v1/jobs") {
      return Response.json({ job_id: 7, status: "queued" }, { status: 202 });
    }
    for (const [prefix, respond] of Object.entries(responses)) {
      if (pathname.startsWith(prefix)) return respond();
    }
    return Response.json({ error: { code: "not_found", message: "no such thing" } }, { status: 404 });
  };
}

const job = (fields: Record<string, unknown>) => () => Response.json({ job_id: 7, ...fields });

Deno.test("a job that takes longer than the wait is returned as accepted, with what to do next", async () => {
  const handler = engineThat({ "/api/v1/jobs/7": job({ status: "processing" }) });
  await using kb = await openHarness({ placement: "embedded", handler, jobWaitMs: 20 });
  const output = await kb.call(kbAddNote, { text: "slow" });
  assertEquals([output.job_id, output.status, output.document_id], [7, "processing", undefined]);
  assertMatch(output.next ?? "", /kb_jobs/);
});

Deno.test("a job that waits since the disk is full is returned with that reason", async () => {
  const status = (state: string) => () => Response.json({ version: "3.7.0", storage: { state } });
  for (
    const [state, expected] of [["storage_full", /cannot store it now \(storage_full\)/], [
      "ok",
      /and wait/,
    ]] as const
  ) {
    const handler = engineThat({
      "/api/v1/jobs/7": job({ status: "queued" }),
      "/api/v1/status": status(state),
    });
    await using kb = await openHarness({ placement: "embedded", handler, jobWaitMs: 20 });
    const output = await kb.call(kbAddNote, { text: "late" });
    assertEquals([output.status, output.outcome], ["queued", undefined]);
    assertMatch(output.next ?? "", expected);
  }
});

Deno.test("an archive whose files are still being read is returned with their number, and what to do next", async () => {
  const file_jobs = { done: 1, processing: 1 };
  const handler = engineThat({ "/api/v1/jobs/7": job({ status: "done", outcome: "unpacked", file_jobs }) });
  await using kb = await openHarness({ placement: "embedded", handler, jobWaitMs: 20 });
  const output = await kb.call(kbAddNote, { text: "archive" });
  assertEquals([output.outcome, output["file_jobs"], output.document_id], ["unpacked", file_jobs, undefined]);
  assertMatch(output.next ?? "", /files are still being processed: call kb_jobs/);
});

Deno.test("with a wait of 0 the job is not polled", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: engineThat({}), jobWaitMs: 0 });
  const output = await kb.call(kbAddNote, { text: "fire and forget" });
  assertEquals([output.job_id, output.status], [7, "queued"]);
  assertEquals(kb.paths(), ["POST /api/v1/jobs"]);
});

Deno.test("a job that failed is an error with the engine's reason", async () => {
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "failed", error: "The file has no text.", error_code: "no_text" }),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const error = await assertRejects(() => kb.call(kbAddNote, { text: "x" }), ToolError);
  assertEquals(error.message, "Job 7 failed (no_text): The file has no text.");
});

Deno.test("an accepted job stays accepted if polling it fails", async () => {
  const handler = engineThat({
    "/api/v1/jobs/7": () => new Response("<h1>Bad Gateway</h1>", { status: 502 }),
  });
  await using kb = await openHarness({ placement: "embedded", handler, jobWaitMs: 20 });
  const output = await kb.call(kbAddNote, { text: "x" });
  assertEquals([output.job_id, output.status], [7, "queued"]);
  assert(output.next);
});

Deno.test("the error of a duplicate that cannot be moved names the document and the tool to call", async () => {
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "done", document_id: 3, outcome: "duplicate" }),
    "/api/v1/documents/3/tags": () => new Response("oops", { status: 500 }),
    "/api/v1/documents/3": () =>
      Response.json({ document_id: 3, title: null, doc_type: "note", tags: ["collection:memory"] }),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const error = await assertRejects(
    () => kb.call(kbAddNote, { text: "x", collection: "documents" }),
    ToolError,
  );
  assertStringIncludes(error.message, "document 3");
  assertStringIncludes(error.message, "kb_set_collection");
  assert(!error.message.includes("oops"));
});

Deno.test("a cancelled wait ends the call", async () => {
  const abort = new AbortController();
  const handler = engineThat({
    "/api/v1/jobs/7": () => {
      abort.abort();
      return Response.json({ job_id: 7, status: "processing" });
    },
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const call = () => kb.call(kbAddNote, { text: "x" }, { signal: abort.signal });
  const error = await assertRejects(call, EngineError);
  assertEquals(error.code, "cancelled");
});

Deno.test("the output of a duplicate has the title and source_path of the existing document", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "Twice.", title: "First", source_path: "a.md" });
  await kb.note({ text: "Thrice." });
  kb.calls.length = 0;
  const again = await kb.call(kbAddNote, { text: "Twice.", title: "First" });
  assertEquals([again.outcome, again.title, again.source_path], ["duplicate", "First", "a.md"]);
  assertEquals(again.note, 'The content was already stored; its source_path is "a.md".');
  const fetched = kb.paths().filter((path) => path.startsWith("GET /api/v1/documents"));
  assertEquals(fetched.length, 1);
  const bare = await kb.call(kbAddNote, { text: "Thrice." });
  assertEquals([bare.outcome, bare.source_path], ["duplicate", undefined]);
  assertStringIncludes(String(bare.note), "it has no source_path");
  const created = await kb.call(kbAddNote, { text: "Once.", title: "New" });
  assertEquals([created.outcome, created.title, created.note], ["created", undefined, undefined]);
});

const documentIn = (tags: string[], fields: Record<string, unknown> = {}) => () =>
  Response.json({ document_id: 3, title: "Three", doc_type: "note", tags, ...fields });

Deno.test("a duplicate keeps its collection, and no tags are changed, unless the call names another", async () => {
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "done", document_id: 3, outcome: "duplicate" }),
    "/api/v1/documents/3": documentIn(["collection:memory"]),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbAddNote, { text: "x" });
  assertEquals([output.collection, output.moved_from], ["memory", undefined]);
  assertStringIncludes(String(output.note), 'It stays in "memory".');
  assertEquals(kb.paths().filter((path) => path.endsWith("/tags")), []);
  assertEquals(kb.sent("POST", "/api/v1/jobs"), [
    { keep_collection: ["true"], tags: ["collection:documents"], text: ["x"] },
  ]);
  await kb.call(kbAddNote, { text: "x", collection: "memory" });
  assertEquals(kb.sent("POST", "/api/v1/jobs")[1], { tags: ["collection:memory"], text: ["x"] });
});

Deno.test("a duplicate that the engine has moved says where it was", async () => {
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "done", document_id: 3, outcome: "duplicate", moved_from: "memory" }),
    "/api/v1/documents/3": documentIn(["collection:workspace"]),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbAddNote, { text: "x", collection: "workspace" });
  assertEquals([output.collection, output.moved_from], ["workspace", "memory"]);
  assertEquals(kb.paths().filter((path) => path.endsWith("/tags")), []);
});

Deno.test("an older engine's duplicate comes with the way back to its collection", async () => {
  const accepts = engineThat({
    "/api/v1/jobs/7": job({ status: "done", document_id: 3, outcome: "duplicate" }),
    "/api/v1/documents/3": documentIn(["collection:documents"]),
  });
  const handler: Handler = async (request) => {
    const form = request.method === "POST" ? await request.clone().formData() : undefined;
    const unknown = form && [...form.keys()].find((name) => !["text", "tags", "source_path"].includes(name));
    if (unknown === undefined) return await accepts(request);
    const message = `The form has an unknown field "${unknown}"`;
    return Response.json({ error: { code: "invalid", message } }, { status: 400 });
  };
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbAddNote, { text: "x", source_path: "a.md", overwrite: true });
  assertEquals([output.outcome, output.collection], ["duplicate", "documents"]);
  assertMatch(String(output.note), /kb_set_collection moves it back.*replaces whatever is at a source_path/);
});

Deno.test("a conflict is a result that describes the document at the source_path, and what to do", async () => {
  const conflict = {
    document_id: 3,
    title: "cURL\u200b manual",
    doc_type: "text",
    collection: "documents",
    size_bytes: 255_000,
    version: 4,
  };
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "failed", error: "taken", error_code: "conflict", conflict }),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const { next, ...output } = await kb.call(kbAddNote, { text: "x", source_path: "docs/curl.txt" });
  assertEquals(output, {
    job_id: 7,
    status: "failed",
    outcome: "conflict",
    document_id: 3,
    title: "cURL manual",
    doc_type: "text",
    collection: "documents",
    size_bytes: 255_000,
  });
  assertMatch(next ?? "", /^Nothing was changed.*another source_path.*overwrite: true/);
});

Deno.test("a note at the path of a file of a source is not told to overwrite it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-conflict-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(`${folder}/a.md`, "From the folder");
  const kb = stack.use(await openHarness({ placement: "embedded" }));
  const { source_id } = await kb.engine.addSource({ name: "notes", path: folder });
  await kb.engine.syncSource(source_id, { wait_seconds: 50 });
  const { outcome, next, job_id } = await kb.call(kbAddNote, {
    text: "x",
    source_path: "notes/a.md",
    overwrite: true,
  });
  assertEquals([outcome, next], [
    "conflict",
    'Nothing was changed: this document follows its file in the source "notes". Change the file, or start again ' +
    "with another source_path.",
  ]);
  assertEquals(
    (await kb.engine.job(String(job_id))).error,
    'Document 1 has the source_path "notes/a.md" and follows its file in the source "notes". Nothing was changed: ' +
      "change the file, or use another source_path",
  );
  // An upload is refused before its bytes are sent.
  const upload = { filename: "a.md", total_size: 5, overwrite: true };
  await assertRejects(
    () => kb.call(kbUploadStart, { ...upload, source_path: "notes/a.md" }),
    ToolError,
    "Document 1 is at the source_path. " + next,
  );
  assertEquals(kb.context.uploads.active.uploads, 0);
  await kb.call(kbUploadStart, { ...upload, source_path: "notes/b.md" });
});

Deno.test("a replacement names the version that can be restored, or says that there is none", async () => {
  const replaced = { status: "done", document_id: 3, outcome: "replaced" };
  const document = documentIn(["collection:memory"]);
  for (const restorable_version of [4, null]) {
    const handler = engineThat({
      "/api/v1/jobs/7": job({ ...replaced, restorable_version }),
      "/api/v1/documents/3": document,
    });
    await using kb = await openHarness({ placement: "embedded", handler });
    const output = await kb.call(kbAddNote, { text: "x", source_path: "a.md" });
    assertEquals([output.outcome, output.collection], ["replaced", "memory"]);
    assertEquals(output.restorable_version, restorable_version ?? undefined);
    const advice = restorable_version === null ? output.note : output.next;
    assertMatch(
      String(advice),
      restorable_version === null ? /was not kept/ : /kb_restore {"document_id":3}/,
    );
  }
});

Deno.test("the warning of a job is in the output of the call that waits for it", async () => {
  const warning = "The encoding was guessed as windows-1250.";
  const handler = engineThat({
    "/api/v1/jobs/7": job({ status: "done", document_id: 3, outcome: "created", warning }),
  });
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbAddNote, { text: "x" });
  assertEquals(output["warning"], warning);
});
