import { assert, assertEquals, assertRejects } from "@std/assert";
import { UploadError } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, sha256 } from "./support.ts";

async function withChunks(fixture: Fixture, chunks: Record<number, string>, request = {}): Promise<string> {
  const { upload_id } = await fixture.start(request);
  for (const [index, text] of Object.entries(chunks)) {
    await fixture.uploads.putChunk(CALLER, upload_id, Number(index), base64(text));
  }
  return upload_id;
}

async function finishError(fixture: Fixture, uploadId: string): Promise<UploadError> {
  return await assertRejects(() =>
    fixture.uploads.finish(CALLER, uploadId, () => {
      throw new Error("must not be sent");
    }), UploadError);
}

Deno.test("finish passes on the declared fields, the size and the digest", async () => {
  await using fixture = await Fixture.open();
  const declared = {
    filename: "a/b.txt",
    sha256: sha256("helloworld").toUpperCase(),
    contentType: "text/plain",
    title: "Greeting",
    sourcePath: "mail/1",
    tags: ["x"],
    collection: "memory",
  };
  const id = await withChunks(fixture, { 0: "hello", 1: "world" }, declared);
  const file = await fixture.uploads.finish(CALLER, id, ({ open: _, ...file }) => Promise.resolve(file));
  assertEquals(file, { ...declared, filename: "b.txt", size: 10, sha256: sha256("helloworld") });
});

Deno.test("a finished upload is removed with its files, id and quota", async () => {
  await using fixture = await Fixture.open({ maxStagedBytes: 10 });
  const id = await withChunks(fixture, { 0: "helloworld" });
  assertEquals(await fixture.receive(id), "helloworld");
  assertEquals(await fixture.staged(), []);
  assertEquals(fixture.uploads.active, { uploads: 0, bytes: 0 });
  assertEquals((await finishError(fixture, id)).code, "not_found");
  await fixture.start();
});

Deno.test("finish lists missing indexes", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "a", 2: "c", 5: "f" });
  const error = await finishError(fixture, id);
  assertEquals(error.code, "incomplete");
  assertEquals(
    error.message,
    `Upload ${id} cannot be finished yet: chunk_index 1, 3, 4 of 0 to 5 are missing (3 of 10 bytes received). ` +
      "Send them with kb_upload_chunk, then finish again.",
  );
});

Deno.test("finish reports a missing index even when all bytes have arrived", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 2: "world" });
  assertEquals(
    (await finishError(fixture, id)).message,
    `Upload ${id} cannot be finished yet: chunk_index 1 of 0 to 2 is missing (10 of 10 bytes received). ` +
      "Send it with kb_upload_chunk, then finish again.",
  );
});

Deno.test("finish truncates a long list of missing indexes", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 9999: "a" });
  const { message } = await finishError(fixture, id);
  assert(message.includes("48, 49 and 9949 more of 0 to 9999 are missing"), message);
});

Deno.test("finish reports missing bytes and the next chunk to send", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "abc", 1: "def" });
  const error = await finishError(fixture, id);
  assertEquals(error.code, "incomplete");
  assertEquals(
    error.message,
    `Upload ${id} cannot be finished yet: 4 bytes are still missing: 6 of 10 bytes received without a gap. ` +
      "Continue with chunk_index 2, or send a truncated chunk again, then finish again.",
  );
});

Deno.test("an upload without any bytes cannot be finished", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const error = await finishError(fixture, upload_id);
  assertEquals(error.code, "incomplete");
  assert(error.message.includes("no bytes have arrived, 10 are expected"), error.message);
});

Deno.test("missing chunks can be sent after a failed finish", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello" });
  await finishError(fixture, id);
  await fixture.uploads.putChunk(CALLER, id, 1, base64("world"));
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("a wrong sha256 is reported with both digests and repaired by replacing a chunk", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hellO", 1: "world" }, { sha256: sha256("helloworld") });
  const error = await finishError(fixture, id);
  assertEquals(error.code, "mismatch");
  assert(
    error.message.includes(sha256("hellOworld")) && error.message.includes(sha256("helloworld")),
    error.message,
  );
  await fixture.uploads.putChunk(CALLER, id, 0, base64("hello"));
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("a wrong sha256 drops raw bytes, and the same capability accepts the file again", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start({ sha256: sha256("helloworld") });
  await fixture.uploads.putRange(capability, {}, body("hellOworld"));
  const error = await finishError(fixture, upload_id);
  assertEquals(error.code, "mismatch");
  assert(error.message.includes("send the whole file again to the same upload_url"), error.message);
  assertEquals(fixture.uploads.active.bytes, 0);
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("an engine error is passed on unchanged, and the upload can be finished again", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  const engineError = new Error("the engine is full");
  const error = await assertRejects(() =>
    fixture.uploads.finish(CALLER, id, () => Promise.reject(engineError))
  );
  assert(error === engineError);
  assertEquals(fixture.uploads.active, { uploads: 1, bytes: 10 });
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("the file can be read again after a reader stopped early", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 1: "world" });
  await assertRejects(() =>
    fixture.uploads.finish(CALLER, id, async ({ open }) => {
      const reader = (await open()).getReader();
      await reader.read();
      await reader.cancel(); // The resource sanitizer detects a file that stays open.
      throw new Error("connection lost");
    })
  );
  const twice = await fixture.uploads.finish(CALLER, id, async ({ open }) => [
    await new Response(await open()).text(),
    await new Response(await open()).text(),
  ]);
  assertEquals(twice, ["helloworld", "helloworld"]);
});

Deno.test("progress counts the bytes consumed, from zero at each attempt", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 1: "world" });
  const progress = await fixture.uploads.finish(CALLER, id, async ({ open }) => {
    const attempts: number[][] = [[], []];
    for (const attempt of attempts) await new Response(await open((bytes) => attempt.push(bytes))).text();
    return attempts;
  });
  assertEquals(progress, [[5, 10], [5, 10]]);
});

Deno.test("a cancelled finish sends nothing and keeps the upload", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  const send = () => Promise.reject(new Error("it was sent"));
  await assertRejects(
    () => fixture.uploads.finish(CALLER, id, send, AbortSignal.abort()),
    DOMException,
    "cancelled",
  );
  assertEquals(fixture.uploads.active, { uploads: 1, bytes: 10 });
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("an upload that is being finished rejects another finish, a chunk and a PUT", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  const sending = Promise.withResolvers<void>();
  const response = Promise.withResolvers<string>();
  const first = fixture.uploads.finish(CALLER, upload_id, () => {
    sending.resolve();
    return response.promise;
  });
  await sending.promise;
  const second = await finishError(fixture, upload_id);
  assertEquals(second.code, "busy");
  assertEquals(
    second.message,
    `Upload ${upload_id} is being finished: wait for the result of kb_upload_finish.`,
  );
  const chunk = () => fixture.uploads.putChunk(CALLER, upload_id, 0, base64("HELLOWORLD"));
  assertEquals((await assertRejects(chunk, UploadError)).code, "busy");
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")), UploadError);
  response.resolve("job 1");
  assertEquals(await first, "job 1");
});

Deno.test("only one of several concurrent finishes sends the file", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  let sent = 0;
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => fixture.uploads.finish(CALLER, id, () => Promise.resolve(++sent))),
  );
  assertEquals(results.filter(({ status }) => status === "fulfilled").length, 1);
  assertEquals(sent, 1);
});

Deno.test("finish waits for chunks that were sent before it", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const chunks = [base64("hello"), base64("world")].map((data, i) =>
    fixture.uploads.putChunk(CALLER, upload_id, i, data)
  );
  assertEquals(await fixture.receive(upload_id), "helloworld");
  await Promise.all(chunks);
});
