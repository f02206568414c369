import { FILE_FORMATS } from "../../src/contract/mod.ts";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { UploadError } from "../../src/uploads/mod.ts";
import { type Harness, openHarness } from "../support/harness.ts";

const bytes = new TextEncoder().encode("# Tides\n\nHigh water is at noon.");
const base64 = bytes.toBase64();

/** An engine that must not be called. */
const noEngine = () => {
  throw new Error("the engine was called");
};

async function start(kb: Harness, more: Record<string, unknown> = {}): Promise<string> {
  const state = await kb.call(kbUploadStart, { filename: "tides.md", total_size: bytes.length, ...more });
  return state.upload_id;
}

Deno.test("kb_upload_finish that the engine rejects keeps the upload, and the next one succeeds", async () => {
  let full = true;
  await using kb = await openHarness({
    placement: "embedded",
    intercept: ({ url }) => {
      if (!full || !url.endsWith("/api/v1/jobs")) return undefined;
      full = false;
      return Response.json({ error: { code: "storage_full", message: "no space" } }, { status: 507 });
    },
  });
  const upload_id = await start(kb);
  await kb.call(kbUploadChunk, { upload_id, data: base64, chunk_index: 0 });

  const error = await assertRejects(() => kb.call(kbUploadFinish, { upload_id }), EngineError);
  assertEquals(error.code, "storage_full");
  const output = await kb.call(kbUploadFinish, { upload_id });

  assertEquals(output.status, "done");
  const { chunks } = await kb.call(kbGet, { document_id: output.document_id });
  assertStringIncludes(chunks?.map(({ text }) => text).join("\n") ?? "", "High water is at noon.");
  assertEquals(kb.context.uploads.active.uploads, 0);
});

Deno.test("kb_upload_finish of an incomplete upload is an error that names the missing chunks", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: noEngine });
  const upload_id = await start(kb);
  const tail = bytes.subarray(20).toBase64();
  const state = await kb.call(kbUploadChunk, { upload_id, data: tail, chunk_index: 2 });
  assertEquals([state.missing_chunks, state.missing_count, state.complete], [[0, 1], 2, false]);
  const error = await assertRejects(() => kb.call(kbUploadFinish, { upload_id }), UploadError);
  assertEquals(error.code, "incomplete");
  assertEquals(kb.calls, []);
});

Deno.test("an upload belongs to the caller that started it", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: noEngine });
  const upload_id = await start(kb);
  const stranger = { caller: { id: "caller-b", scope: "write" as const } };
  for (
    const call of [
      () => kb.call(kbUploadChunk, { upload_id, data: base64, chunk_index: 0 }, stranger),
      () => kb.call(kbUploadFinish, { upload_id }, stranger),
    ]
  ) {
    const error = await assertRejects(call, UploadError);
    assertEquals(error.code, "not_found");
  }
});

const CURL: [filename: string, argument: string][] = [
  ["report.pdf", "'report.pdf'"],
  ["it's; rm -rf ~ $(id) `id`.pdf", "'it'\\''s; rm -rf ~ $(id) `id`.pdf'"],
  ["-K.txt", "'./-K.txt'"],
  ["[1-9]{a,b}.txt", "'[1-9]{a,b}.txt'"],
];

for (const [filename, argument] of CURL) {
  Deno.test(`the curl line quotes the file name ${filename} for the shell`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: noEngine });
    const { curl, upload_url } = await kb.call(kbUploadStart, { filename, total_size: 3 });
    assertEquals(curl, `curl --fail-with-body -sS -g -T ${argument} '${upload_url}'`);
  });
}

for (const filename of ["plan.pages", "Budget.NUMBERS ", "C:\\files\\scan.djvu", "song.mp3", "setup.exe"]) {
  Deno.test(`kb_upload_start rejects ${filename}, which the embedded engine cannot read`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: noEngine });
    const call = () => kb.call(kbUploadStart, { filename, total_size: 3 });
    const error = await assertRejects(call, ToolError);
    assertStringIncludes(error.message, "files cannot be read");
    for (const { id, name, extensions } of FILE_FORMATS) {
      if (id !== "image") assertStringIncludes(error.message, `${name} (${extensions.join(" ")})`);
    }
    assertEquals(kb.context.uploads.active.uploads, 0);
  });
}

Deno.test("kb_upload_start rejects a text file that cannot fit the embedded engine, before its bytes are sent", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: noEngine });
  const start = (filename: string, total_size: number) => kb.call(kbUploadStart, { filename, total_size });
  for (const filename of ["a.txt", "B.MD", "c.html"]) {
    const error = await assertRejects(() => start(filename, 64_000_001), ToolError, "at most 64000000 bytes");
    assertStringIncludes(
      error.message,
      "got 64000001. Split the file, or ask the operator to raise KB_MAX_TEXT_CHARS.",
    );
  }
  assertEquals(kb.context.uploads.active.uploads, 0);
  await start("a.txt", 64_000_000);
  await start("a.pdf", 64_000_001);
});

Deno.test("kb_upload_start applies the limits that the engine reports", async () => {
  const extraction = { max_text_chars: 300_000, ocr_languages: ["eng"] };
  for (const placement of ["embedded", "over HTTP"] as const) {
    const handler = () => Response.json({ version: "3.5.0", extraction });
    await using kb = await openHarness({ placement, handler });
    const start = (filename: string, total_size: number) => kb.call(kbUploadStart, { filename, total_size });
    await assertRejects(() => start("a.txt", 1_200_001), ToolError, "at most 1200000 bytes");
    await assertRejects(() => start("a.key", 3), ToolError, "files cannot be read");
    assertEquals((await start("a.txt", 1_200_000)).filename, "a.txt");
    assertEquals((await start("a.png", 1e6)).filename, "a.png");
  }
});

Deno.test("kb_upload_start says how to read images", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: noEngine });
  const call = () => kb.call(kbUploadStart, { filename: "photo.jpg", total_size: 3 });
  await assertRejects(call, ToolError, "kb-mcp model install ocr-eng");
});

Deno.test("kb_upload_start accepts any type for a third-party engine, and any unknown type", async () => {
  for (
    const [placement, filename] of [["over HTTP", "photo.jpg"], ["embedded", "jpg"], [
      "embedded",
      "a.log",
    ]] as const
  ) {
    const handler = () => Response.json({ version: "3.4.0" });
    await using kb = await openHarness({ placement, handler });
    assertEquals((await kb.call(kbUploadStart, { filename, total_size: 3 })).filename, filename);
  }
});

Deno.test("kb_upload_finish sends overwrite, and keep_collection unless the start named a collection", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const more of [{ overwrite: true }, { collection: "memory" }]) {
    const upload_id = await start(kb, more);
    await kb.call(kbUploadChunk, { upload_id, data: base64, chunk_index: 0 });
    await kb.call(kbUploadFinish, { upload_id });
  }
  const [first, second] = kb.sent("POST", "/api/v1/jobs") as Record<string, string[]>[];
  assertEquals([first?.["overwrite"], first?.["keep_collection"]], [["true"], ["true"]]);
  assertEquals([second?.["overwrite"], second?.["keep_collection"]], [undefined, undefined]);
});
