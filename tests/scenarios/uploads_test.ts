import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbStatus } from "../../src/tools/kb_status.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { UploadError, Uploads } from "../../src/uploads/mod.ts";
import type { Harness } from "../support/harness.ts";
import { samplePdf } from "../support/samples.ts";
import { scenario } from "../support/scenario.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNKNOWN_ID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const TEN_MINUTES = 600_000;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Starts an upload and sends its bytes in chunks of `size`, except for the indexes in `skip`. */
async function send(kb: Harness, filename: string, bytes: Uint8Array, size: number, skip: number[] = []) {
  const start = await kb.call(kbUploadStart, { filename, total_size: bytes.length });
  for (let index = 0; index * size < bytes.length; index++) {
    if (skip.includes(index)) continue;
    const data = bytes.subarray(index * size, (index + 1) * size).toBase64();
    await kb.call(kbUploadChunk, { upload_id: start.upload_id, data, chunk_index: index });
  }
  return start.upload_id;
}

scenario(
  "Chunked file upload tools / Start an upload: returns a UUID, a link and a curl line",
  async (kb) => {
    const arguments_ = {
      filename: "report.pdf",
      total_size: 5_242_880,
      tags: ["insurance"],
      collection: "documents",
    };
    const start = await kb.call(kbUploadStart, arguments_);
    const other = await kb.call(kbUploadStart, arguments_);

    assertMatch(start.upload_id, UUID);
    assertNotEquals(start.upload_id, other.upload_id);
    assertEquals([start.received_bytes, start.expected_bytes, start.complete], [0, 5_242_880, false]);
    assert(start.upload_url.startsWith("http://kb.example:8808/uploads/"));
    assertEquals(start.curl, `curl --fail-with-body -sS -g -T 'report.pdf' '${start.upload_url}'`);
    assertEquals(start.recommended_chunk_bytes, 1_048_576);
    assertEquals(kb.calls, [], "nothing goes to the engine before the finish");
    assertEquals((await kb.call(kbStatus, {})).server.uploads_in_progress, 2);
  },
);

scenario(
  "Chunked file upload tools / Upload a chunk: decodes the base64 and stages the bytes",
  async (kb) => {
    const bytes = bytesOf("# Minutes\n\nWe agreed on blue.");
    const { upload_id } = await kb.call(kbUploadStart, { filename: "minutes.md", total_size: bytes.length });

    const data = bytes.toBase64();
    const state = await kb.call(kbUploadChunk, { upload_id, data, chunk_index: 0 });

    assertEquals([state.received_bytes, state.chunks_received, state.complete], [bytes.length, 1, true]);
  },
);

scenario(
  "Chunked file upload tools / Upload multiple chunks in sequence: each is stored and counted",
  async (kb) => {
    const bytes = bytesOf("one two three");
    const { upload_id } = await kb.call(kbUploadStart, { filename: "a.txt", total_size: bytes.length });
    const seen = [];
    for (const [chunk_index, part] of ["one ", "two ", "three"].entries()) {
      const data = bytesOf(part).toBase64();
      const state = await kb.call(kbUploadChunk, { upload_id, data, chunk_index });
      seen.push([state.chunks_received, state.received_bytes, state.missing_chunks.length, state.complete]);
    }
    assertEquals(seen, [[1, 4, 0, false], [2, 8, 0, false], [3, 13, 0, true]]);
  },
);

scenario(
  "Chunked file upload tools / Finish an upload: reassembles in order, POSTs multipart, returns the job",
  async (kb) => {
    const bytes = samplePdf(["The premium rises by four percent."]);
    const { upload_id } = await kb.call(kbUploadStart, {
      filename: "report.pdf",
      total_size: bytes.length,
      sha256: new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex(),
      title: "Insurance report",
      tags: ["insurance"],
      collection: "documents",
      source_path: "inbox/report.pdf",
    });
    const half = Math.ceil(bytes.length / 2);
    // Sent in reverse: the index determines the order.
    for (const chunk_index of [1, 0]) {
      const data = bytes.subarray(chunk_index * half, (chunk_index + 1) * half).toBase64();
      await kb.call(kbUploadChunk, { upload_id, data, chunk_index });
    }

    const output = await kb.call(kbUploadFinish, { upload_id });

    const [form] = kb.sent("POST", "/api/v1/jobs") as Record<string, string[]>[];
    assertEquals(form?.["tags"], ["collection:documents", "insurance"]);
    assertEquals(form?.["file"], [new TextDecoder().decode(bytes)]);
    assertEquals([form?.["title"], form?.["source_path"]], [["Insurance report"], ["inbox/report.pdf"]]);
    assert(output.job_id !== undefined);
    assertEquals([output.status, output.outcome], ["done", "created"]);
    const { results } = await kb.call(kbSearch, { query: "premium percent", tags: ["insurance"] });
    assertEquals(results.map((hit) => String(hit.document_id)), [String(output.document_id)]);
    assertEquals([results[0]?.title, results[0]?.["page_start"]], ["Insurance report", 1]);
    const document = await kb.call(kbGet, { document_id: output.document_id });
    assertEquals([document["doc_type"], document.collection, document.tags], ["pdf", "documents", [
      "insurance",
    ]]);
  },
);

scenario(
  "Chunked file upload tools / Upload with invalid upload_id: chunk and finish report that it does not exist",
  async (kb) => {
    const calls = [
      () => kb.call(kbUploadChunk, { upload_id: UNKNOWN_ID, data: "AAAA", chunk_index: 0 }),
      () => kb.call(kbUploadFinish, { upload_id: UNKNOWN_ID }),
      () => kb.call(kbUploadFinish, { upload_id: "no-uuid-at-all" }),
    ];
    for (const call of calls) {
      const error = await assertRejects(call, UploadError);
      assertEquals(error.code, "not_found");
      assertMatch(error.message, /kb_upload_start/);
    }
    assertEquals(kb.calls, []);
  },
);

scenario(
  "Chunked file upload tools / Abandoned upload cleanup: gone after 10 idle minutes, with its bytes",
  async (kb) => {
    const upload_id = await send(kb, "abandoned.txt", bytesOf("never finished"), 5, [2]);
    assertEquals(kb.context.uploads.active.uploads, 1);

    kb.advance(TEN_MINUTES + 1);
    assertEquals(await kb.context.uploads.sweep(), 1);

    assertEquals(kb.context.uploads.active, { uploads: 0, bytes: 0 });
    const error = await assertRejects(() => kb.call(kbUploadFinish, { upload_id }), UploadError);
    assertEquals(error.code, "not_found");
  },
);

scenario(
  "Chunked file upload tools / MCP server restart during upload: the upload is lost, starting again works",
  async (kb) => {
    const bytes = bytesOf("survives only in the agent");
    const upload_id = await send(kb, "a.txt", bytes, 10, [1]);

    await using restarted = await Uploads.open({
      maxBytes: 1000,
      maxPerCaller: 8,
      maxStagedBytes: 1000,
      idleMs: TEN_MINUTES,
    });
    const context = { uploads: restarted };
    const chunk = { data: bytes.subarray(10, 20).toBase64(), chunk_index: 1 };
    const error = await assertRejects(
      () => kb.call(kbUploadChunk, { upload_id, ...chunk }, context),
      UploadError,
    );
    assertEquals(error.code, "not_found");
    assertMatch(error.message, /kb_upload_start/);

    const again = await kb.call(kbUploadStart, { filename: "a.txt", total_size: bytes.length }, context);
    await kb.call(
      kbUploadChunk,
      { upload_id: again.upload_id, data: bytes.toBase64(), chunk_index: 0 },
      context,
    );
    assertEquals((await kb.call(kbUploadFinish, { upload_id: again.upload_id }, context)).status, "done");
  },
);
