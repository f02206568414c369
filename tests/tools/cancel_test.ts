import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { type Tool, tools } from "../../src/tools/mod.ts";
import { type Harness, openHarness } from "../support/harness.ts";
import type { Handler } from "../support/recorder.ts";

/*
 * In these tests the engine never responds after the cancellation. A call that waited for it would fail with
 * `timeout` at its deadline instead of `cancelled`.
 */

/** An engine that accepts jobs, and passes all other requests to `then`. */
function accepting(then: Handler): Handler {
  return (request) =>
    request.method === "POST" && request.url.endsWith("/api/v1/jobs")
      ? Response.json({ job_id: 7, status: "queued" }, { status: 202 })
      : then(request);
}

const WAITING: [name: string, call: (kb: Harness, signal: AbortSignal) => Promise<unknown>][] = [
  ["kb_jobs", (kb, signal) => kb.call(kbJobs, { job_id: 7, wait: 50 }, { signal })],
  ["kb_addnote", (kb, signal) => kb.call(kbAddNote, { text: "x" }, { signal })],
];

for (const [name, call] of WAITING) {
  Deno.test(`${name} that is cancelled between two polls ends at once`, async () => {
    const controller = new AbortController();
    let pollsAfterwards = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const handler = accepting(() => {
      if (controller.signal.aborted) pollsAfterwards++;
      // After the response, during the delay before the next poll. A second request gets no timer, which would outlive
      // the test.
      timer ??= setTimeout(() => controller.abort(), 0);
      return Response.json({ job_id: 7, status: "processing" });
    });
    await using kb = await openHarness({ placement: "embedded", handler });
    const error = await assertRejects(() => call(kb, controller.signal), EngineError);
    assertEquals([error.code, pollsAfterwards], ["cancelled", 0]);
  });

  Deno.test(`${name} that is cancelled during a poll ends at once, and so does the poll`, async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let polls = 0;
    const handler = accepting(() => {
      // kb_jobs fetches the job once before it waits.
      if (name === "kb_jobs" && polls++ === 0) {
        return Response.json({ job_id: 7, status: "processing" });
      }
      controller.abort();
      return new Promise<Response>(() => {});
    });
    await using kb = await openHarness({ placement: "embedded", handler });
    const error = await assertRejects(() => call(kb, signal), EngineError);
    assertEquals(error.code, "cancelled");
  });
}

const bytes = new TextEncoder().encode("Tides come and go, line after line after line.\n".repeat(10_000));

async function staged(kb: Harness): Promise<string> {
  const file = { filename: "tides.md", total_size: bytes.length };
  const { upload_id } = await kb.call(kbUploadStart, file);
  await kb.call(kbUploadChunk, { upload_id, chunk_index: 0, data: bytes.toBase64() });
  return upload_id;
}

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`kb_upload_finish that is cancelled while it streams keeps the upload for another kb_upload_finish [engine ${placement}]`, async () => {
    await using kb = await openHarness({ placement });
    const upload_id = await staged(kb);
    const controller = new AbortController();
    const { signal } = controller;
    let taken = 0;
    const report = ({ progress }: { progress: number }) => {
      if (progress > 0 && taken++ === 0) controller.abort();
    };
    const error = await assertRejects(() => kb.call(kbUploadFinish, { upload_id }, { signal, report }));
    assert(error instanceof EngineError);
    assertEquals(error.code, "cancelled");
    assertEquals(taken, 1, "nothing more was sent");
    assertEquals(kb.context.uploads.active, { uploads: 1, bytes: bytes.length });
    assertEquals((await kb.call(kbJobs, {})).jobs, []);

    assertEquals((await kb.call(kbUploadFinish, { upload_id })).outcome, "created");
    assertEquals(kb.context.uploads.active.uploads, 0);
  });
}

Deno.test("kb_upload_finish that is cancelled while it waits for the engine keeps the upload", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const handler = () => {
    controller.abort();
    return new Promise<Response>(() => {});
  };
  await using kb = await openHarness({ placement: "embedded", handler });
  const upload_id = await staged(kb);
  const error = await assertRejects(() => kb.call(kbUploadFinish, { upload_id }, { signal }), EngineError);
  assertEquals(error.code, "cancelled");
  assertEquals(kb.context.uploads.active.uploads, 1);
});

Deno.test("kb_upload_finish that is cancelled before it starts does not call the engine", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const upload_id = await staged(kb);
  const call = () => kb.call(kbUploadFinish, { upload_id }, { signal: AbortSignal.abort() });
  await assertRejects(call, DOMException, "cancelled");
  assertEquals(kb.calls, []);
  assertEquals(kb.context.uploads.active.uploads, 1);
});

/** Arguments of the tools that call the engine. */
const ARGUMENTS: Record<string, unknown> = {
  kb_list: {},
  kb_search: { query: "tides" },
  kb_get: { document_id: 1 },
  kb_addnote: { text: "x" },
  kb_update_note: { document_id: 1, text: "x" },
  kb_edit: { document_id: 1, append: "x" },
  kb_set_collection: { document_id: 1, collection: "memory" },
  kb_delete: { document_id: 1 },
  kb_history: { document_id: 1 },
  kb_restore: { document_id: 1 },
  kb_jobs: {},
  kb_status: {},
};

for (const tool of tools.filter(({ name }) => name in ARGUMENTS)) {
  Deno.test(`${tool.name} that is cancelled aborts its engine call`, async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const handler = () => {
      controller.abort();
      return new Promise<Response>(() => {});
    };
    await using kb = await openHarness({ placement: "embedded", handler });
    const call = () => kb.call(tool as Tool, ARGUMENTS[tool.name], { signal });
    const error = await assertRejects(call, EngineError);
    assertEquals(error.code, "cancelled");
  });
}

Deno.test("only the tools that stage bytes do not call the engine", () => {
  const rest = tools.filter(({ name }) => !(name in ARGUMENTS)).map(({ name }) => name);
  assertEquals(rest, ["kb_upload_start", "kb_upload_chunk", "kb_upload_finish"]);
});
