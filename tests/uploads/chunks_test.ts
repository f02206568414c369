import { assert, assertEquals, assertRejects } from "@std/assert";
import { UploadError, type UploadErrorCode } from "../../src/uploads/mod.ts";
import { base64, CALLER, Fixture } from "./support.ts";

Deno.test("chunks sent in order make up the file", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const first = await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  assertEquals([first.received_bytes, first.chunks_received, first.complete], [5, 1, false]);
  const second = await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("world"));
  assertEquals([second.received_bytes, second.chunks_received, second.complete], [10, 2, true]);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("chunks sent in any order are joined by index, numerically", async () => {
  await using fixture = await Fixture.open();
  const chunks = Array.from({ length: 120 }, (_, index) => String.fromCharCode(0x4e00 + index)); // 3 bytes each
  const { upload_id } = await fixture.start({ totalSize: 360 });
  const order = chunks.map((_, index) => (index * 77) % 120);
  for (const index of order) await fixture.uploads.putChunk(CALLER, upload_id, index, base64(chunks[index]!));
  assertEquals(await fixture.receive(upload_id), chunks.join(""));
});

Deno.test("a chunk replaces the one with the same index, of any length", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("wrong"));
  await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("67890"));
  const shorter = await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("1"));
  assertEquals([shorter.received_bytes, shorter.chunks_received, shorter.complete], [6, 2, false]);
  const right = await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("12345"));
  assertEquals([right.received_bytes, right.chunks_received, right.complete], [10, 2, true]);
  assertEquals(await fixture.receive(upload_id), "1234567890");
});

Deno.test("the state lists the missing indexes below the highest one", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("a"));
  const state = await fixture.uploads.putChunk(CALLER, upload_id, 4, base64("b"));
  assertEquals([state.missing_chunks, state.missing_count], [[0, 2, 3], 3]);
});

Deno.test("the state lists the first 50 missing indexes and counts all of them", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const state = await fixture.uploads.putChunk(CALLER, upload_id, 9_999, base64("a"));
  assertEquals(state.missing_chunks, Array.from({ length: 50 }, (_, index) => index));
  assertEquals(state.missing_count, 9_999);
});

Deno.test("an upload with all bytes but a missing index is not complete", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start({ totalSize: 2 });
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("a"));
  const state = await fixture.uploads.putChunk(CALLER, upload_id, 2, base64("b"));
  assertEquals([state.received_bytes, state.complete], [2, false]);
});

const REJECTED: [input: string, index: number, data: string, code: UploadErrorCode, message: string][] = [
  ["an empty chunk", 0, "", "invalid", "Chunk 0 is empty"],
  ["a negative index", -1, "AA==", "invalid", "chunk_index must be a whole number from 0 to 9999, got -1"],
  ["a fractional index", 0.5, "AA==", "invalid", "got 0.5"],
  ["an index over the limit", 10_000, "AA==", "invalid", "from 0 to 9999, got 10000"],
  [
    "a chunk larger than the file",
    0,
    base64("12345678901"),
    "too_large",
    "would make 11 bytes in total, but total_size is 10",
  ],
  ["white space alone", 0, " \n", "invalid", "character 0 is white space; send each chunk on one line"],
  ["base64 in lines", 0, "YWJj\r\nYWJj", "invalid", "character 4 is white space"],
  ["a line end after base64", 0, "YWJj\n", "invalid", "character 4 is white space"],
  ["a space within base64", 0, "YW Jj", "invalid", "character 2 is white space"],
  ["an invisible character", 0, "YWJ\u202ej", "invalid", 'character 3 is "\\u202e", which is not base64'],
  ["base64 without padding", 0, "YWI", "invalid", "its length must be a multiple of 4, got 3 characters"],
  ["truncated base64", 0, "YWJjZ", "invalid", "its length must be a multiple of 4, got 5 characters"],
  ["base64url", 0, "ab-_", "invalid", 'character 2 is "-", which is base64url'],
  ["a data URL", 0, "data:text/plain;base64,YWJj", "invalid", "send only the part after the comma"],
  ["a character outside base64", 0, "YW*j", "invalid", 'character 2 is "*", which is not base64'],
  [
    "padding in the middle",
    0,
    "YQ==YQ==",
    "invalid",
    '"=" at character 2 is only allowed at the end',
  ],
  ["unused bits at the end", 0, "YR==", "invalid", "its last character has unused bits set"],
  ["too much padding", 0, "Y===", "invalid", 'it ends with more than two "="'],
];
for (const [input, index, data, code, message] of REJECTED) {
  Deno.test(`${input} is rejected and nothing is stored`, async () => {
    await using fixture = await Fixture.open();
    const { upload_id } = await fixture.start();
    const error = await assertRejects(
      () => fixture.uploads.putChunk(CALLER, upload_id, index, data),
      UploadError,
      message,
    );
    assertEquals(error.code, code);
    assertEquals(fixture.uploads.active, { uploads: 1, bytes: 0 });
    assertEquals(await fixture.staged(), [upload_id]);
  });
}

Deno.test("a chunk that exceeds the declared size is rejected and the others are kept", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("12345"));
  await assertRejects(
    () => fixture.uploads.putChunk(CALLER, upload_id, 1, base64("678901")),
    UploadError,
    "Chunk 1 of 6 bytes would make 11 bytes in total, but total_size is 10. It was not stored.",
  );
  await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("67890"));
  assertEquals(await fixture.receive(upload_id), "1234567890");
});

Deno.test("concurrent chunks are all kept, up to the declared size", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const results = await Promise.allSettled(
    ["aaaa", "bbbb", "cccc", "dd"].map((text, index) =>
      fixture.uploads.putChunk(CALLER, upload_id, index === 3 ? 2 : index, base64(text))
    ),
  );
  // The third makes 12 bytes and is rejected; the fourth, with the same index, fits.
  assertEquals(results.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  assertEquals(await fixture.receive(upload_id), "aaaabbbbdd");
});

Deno.test("the limit on chunk indexes grows with the file, up to 99999", async () => {
  const GiB = 2 ** 30;
  await using fixture = await Fixture.open({ maxBytes: GiB, maxStagedBytes: 2 * GiB });
  const { upload_id } = await fixture.start({ totalSize: GiB });
  assert((await fixture.uploads.putChunk(CALLER, upload_id, 99_999, "AA==")).chunks_received === 1);
  await assertRejects(
    () => fixture.uploads.putChunk(CALLER, upload_id, 100_000, "AA=="),
    UploadError,
    "0 to 99999",
  );
});

Deno.test("a file may have one chunk for each 4 KiB block", async () => {
  const totalSize = 4096 * 10_001 - 1;
  await using fixture = await Fixture.open({ maxBytes: totalSize, maxStagedBytes: totalSize });
  const { upload_id } = await fixture.start({ totalSize });
  await fixture.uploads.putChunk(CALLER, upload_id, 10_000, "AA==");
  await assertRejects(
    () => fixture.uploads.putChunk(CALLER, upload_id, 10_001, "AA=="),
    UploadError,
    "0 to 10000",
  );
});

Deno.test("the state names the next chunk to send until the upload is complete", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, next_chunk_index } = await fixture.start();
  assertEquals(next_chunk_index, undefined);
  const put = async (index: number, text: string) =>
    (await fixture.uploads.putChunk(CALLER, upload_id, index, base64(text))).next_chunk_index;
  assertEquals(await put(0, "he"), 1);
  assertEquals(await put(3, "ld"), 1);
  assertEquals(await put(1, "llo"), 2);
  assertEquals(await put(2, "wo"), 4);
  assertEquals(await put(2, "wor"), undefined);
});
