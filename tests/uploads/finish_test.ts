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

async function refusal(fixture: Fixture, uploadId: string): Promise<UploadError> {
  return await assertRejects(() =>
    fixture.uploads.finish(CALLER, uploadId, () => {
      throw new Error("must not be sent");
    }), UploadError);
}

Deno.test("a finished upload hands over what was declared, its size and its digest", async () => {
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

Deno.test("a finished upload is gone: its files, its id and its room", async () => {
  await using fixture = await Fixture.open({ maxStagedBytes: 10 });
  const id = await withChunks(fixture, { 0: "helloworld" });
  assertEquals(await fixture.receive(id), "helloworld");
  assertEquals(await fixture.staged(), []);
  assertEquals(fixture.uploads.active, { uploads: 0, bytes: 0 });
  assertEquals((await refusal(fixture, id)).kind, "not_found");
  await fixture.start();
});

Deno.test("missing indexes are named", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "a", 2: "c", 5: "f" });
  const error = await refusal(fixture, id);
  assertEquals(error.kind, "incomplete");
  assertEquals(
    error.message,
    `Upload ${id} cannot be finished yet: chunk_index 1, 3, 4 of 0 to 5 are missing (3 of 10 bytes have arrived). ` +
      "Send them with kb_upload_chunk, then finish again.",
  );
});

Deno.test("one missing index is named also when all bytes are there", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 2: "world" });
  assertEquals(
    (await refusal(fixture, id)).message,
    `Upload ${id} cannot be finished yet: chunk_index 1 of 0 to 2 is missing (10 of 10 bytes have arrived). ` +
      "Send it with kb_upload_chunk, then finish again.",
  );
});

Deno.test("very many missing indexes are named in part", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 9999: "a" });
  const { message } = await refusal(fixture, id);
  assert(message.includes("48, 49 and 9949 more of 0 to 9999 are missing"), message);
});

Deno.test("a size that is short says how many bytes are still missing and where to go on", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "abc", 1: "def" });
  const error = await refusal(fixture, id);
  assertEquals(error.kind, "incomplete");
  assertEquals(
    error.message,
    `Upload ${id} cannot be finished yet: 4 bytes are still missing: 6 of 10 bytes have arrived, without a gap. ` +
      "Go on with chunk_index 2, or send a chunk again that was cut short, then finish again.",
  );
});

Deno.test("an upload of which nothing has arrived cannot be finished", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const error = await refusal(fixture, upload_id);
  assertEquals(error.kind, "incomplete");
  assert(error.message.includes("nothing has arrived, 10 bytes are expected"), error.message);
});

Deno.test("what was missing can be sent after a failed finish", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello" });
  await refusal(fixture, id);
  await fixture.uploads.putChunk(CALLER, id, 1, base64("world"));
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("a wrong sha256 is refused with both digests, and repaired by replacing a chunk", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hellO", 1: "world" }, { sha256: sha256("helloworld") });
  const error = await refusal(fixture, id);
  assertEquals(error.kind, "mismatch");
  assert(
    error.message.includes(sha256("hellOworld")) && error.message.includes(sha256("helloworld")),
    error.message,
  );
  await fixture.uploads.putChunk(CALLER, id, 0, base64("hello"));
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("a wrong sha256 of raw bytes drops them, and the same link takes the file again", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start({ sha256: sha256("helloworld") });
  await fixture.uploads.putRange(capability, {}, body("hellOworld"));
  const error = await refusal(fixture, upload_id);
  assertEquals(error.kind, "mismatch");
  assert(error.message.includes("send the whole file again to the same upload_url"), error.message);
  assertEquals(fixture.uploads.active.bytes, 0);
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("when the engine refuses, its error comes through, the upload stays and can be finished again", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  const refused = new Error("the engine is full");
  const error = await assertRejects(() => fixture.uploads.finish(CALLER, id, () => Promise.reject(refused)));
  assert(error === refused);
  assertEquals(fixture.uploads.active, { uploads: 1, bytes: 10 });
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("the file can be read more than once, and leaving it half read leaves nothing open", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 1: "world" });
  await assertRejects(() =>
    fixture.uploads.finish(CALLER, id, async ({ open }) => {
      const reader = (await open()).getReader();
      await reader.read();
      await reader.cancel(); // the resource sanitizer would tell of an open file
      throw new Error("connection lost");
    })
  );
  const twice = await fixture.uploads.finish(CALLER, id, async ({ open }) => [
    await new Response(await open()).text(),
    await new Response(await open()).text(),
  ]);
  assertEquals(twice, ["helloworld", "helloworld"]);
});

Deno.test("who reads the file is told how much of it was taken, from the start at each attempt", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "hello", 1: "world" });
  const taken = await fixture.uploads.finish(CALLER, id, async ({ open }) => {
    const attempts: number[][] = [[], []];
    for (const attempt of attempts) await new Response(await open((bytes) => attempt.push(bytes))).text();
    return attempts;
  });
  assertEquals(taken, [[5, 10], [5, 10]]);
});

Deno.test("a finish that is cancelled hands nothing over, and the upload stays", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  const send = () => Promise.reject(new Error("it was handed over"));
  await assertRejects(
    () => fixture.uploads.finish(CALLER, id, send, AbortSignal.abort()),
    DOMException,
    "cancelled",
  );
  assertEquals(fixture.uploads.active, { uploads: 1, bytes: 10 });
  assertEquals(await fixture.receive(id), "helloworld");
});

Deno.test("while an upload is being finished, a second finish, a chunk, a PUT and an abort are refused", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  const sending = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const first = fixture.uploads.finish(CALLER, upload_id, () => {
    sending.resolve();
    return answer.promise;
  });
  await sending.promise;
  const second = await refusal(fixture, upload_id);
  assertEquals(second.kind, "busy");
  assertEquals(
    second.message,
    `Upload ${upload_id} is being finished: wait for the answer of kb_upload_finish.`,
  );
  for (
    const attempt of [
      () => fixture.uploads.putChunk(CALLER, upload_id, 0, base64("HELLOWORLD")),
      () => fixture.uploads.abort(CALLER, upload_id),
    ]
  ) {
    assertEquals((await assertRejects(attempt, UploadError)).kind, "busy");
  }
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")), UploadError);
  answer.resolve("job 1");
  assertEquals(await first, "job 1");
});

Deno.test("of two finishes at once exactly one sends the file", async () => {
  await using fixture = await Fixture.open();
  const id = await withChunks(fixture, { 0: "helloworld" });
  let sent = 0;
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => fixture.uploads.finish(CALLER, id, () => Promise.resolve(++sent))),
  );
  assertEquals(results.filter(({ status }) => status === "fulfilled").length, 1);
  assertEquals(sent, 1);
});

Deno.test("chunks sent just before the finish still count", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  const chunks = [base64("hello"), base64("world")].map((data, i) =>
    fixture.uploads.putChunk(CALLER, upload_id, i, data)
  );
  assertEquals(await fixture.receive(upload_id), "helloworld");
  await Promise.all(chunks);
});
