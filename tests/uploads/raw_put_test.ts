import { assert, assertEquals, assertRejects } from "@std/assert";
import { type RawRange, UploadError, type UploadErrorCode } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, list, openBody, stagingDirectory } from "./support.ts";

Deno.test("a whole file sent by PUT can be finished", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const state = await fixture.uploads.putRange(capability, {}, body("hello", "world"));
  assertEquals([state.received_bytes, state.chunks_received, state.complete], [10, 0, true]);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a capability expires with the last byte", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")),
    UploadError,
  );
  assertEquals(error.code, "not_found");
  assertEquals(await fixture.receive(upload_id), "helloworld");
  await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")),
    UploadError,
    "not valid",
  );
});

Deno.test("a capability expires with its upload, and with the last chunk", async () => {
  await using fixture = await Fixture.open();
  const idle = await fixture.start();
  fixture.clock.ms += 600_000;
  await assertRejects(
    () => fixture.uploads.putRange(idle.capability, {}, body("x")),
    UploadError,
    "not valid",
  );
  const chunked = await fixture.start();
  await fixture.uploads.putChunk(CALLER, chunked.upload_id, 0, base64("helloworld"));
  await assertRejects(
    () => fixture.uploads.putRange(chunked.capability, {}, body("x")),
    UploadError,
    "not valid",
  );
});

Deno.test("an upload_id is not a capability, and no file name contains the capability", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await assertRejects(
    () => fixture.uploads.putRange(upload_id, {}, body("helloworld")),
    UploadError,
    "not valid",
  );
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  assert((await list(fixture.parent)).every((path) => !path.includes(capability)));
});

Deno.test("a body that is not read is cancelled", async () => {
  await using fixture = await Fixture.open();
  const { readable, closed } = openBody();
  await assertRejects(() => fixture.uploads.putRange("nonsense", {}, readable), UploadError);
  await closed;
});

Deno.test("consecutive ranges complete the file", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const first = await fixture.uploads.putRange(capability, { offset: 0, length: 4, total: 10 }, body("hell"));
  assertEquals([first.received_bytes, first.complete], [4, false]);
  const second = await fixture.uploads.putRange(
    capability,
    { offset: 4, length: 6, total: 10 },
    body("owo", "rld"),
  );
  assertEquals([second.received_bytes, second.complete], [10, true]);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("bytes received before a PUT broke off are kept, and a range resumes from there", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hel", "lo", new Error("connection reset"))),
    UploadError,
    "The body broke off, 5 bytes are kept. Resume from byte 5: curl -C 5 -T FILE URL.",
  );
  assertEquals([error.code, error.resumeFrom], ["incomplete", 5]);
  await fixture.uploads.putRange(capability, { offset: 5, length: 5, total: 10 }, body("world"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a body that ends early is reported as broken off", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hello")),
    UploadError,
  );
  assertEquals([error.code, error.resumeFrom], ["incomplete", 5]);
});

Deno.test("a PUT without a range starts over and drops the old bytes", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("XXXXXXXX", new Error("reset"))));
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("he", new Error("reset"))));
  assertEquals(fixture.uploads.active.bytes, 2);
  await fixture.uploads.putRange(capability, { offset: 2 }, body("lloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a PUT without a range that breaks off before its first byte keeps the old bytes", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("hello", new Error("reset"))));
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body(new Error("reset"))),
    UploadError,
  );
  assertEquals(error.resumeFrom, 5);
  await fixture.uploads.putRange(capability, { offset: 5 }, body("world"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test({
  name: "starting over on a full disk drops the old bytes",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using fixture = await Fixture.open();
    const { upload_id, capability } = await fixture.start();
    await fixture.uploads.putRange(capability, { offset: 0, length: 5 }, body("HELLO"));
    const file = `${await stagingDirectory(fixture.parent)}/${upload_id}/raw`;
    await Deno.remove(file);
    await Deno.symlink("/dev/full", file); // Writing to it fails with ENOSPC.
    const error = await assertRejects(
      () => fixture.uploads.putRange(capability, {}, body("helloworld")),
      UploadError,
    );
    assertEquals([error.code, fixture.uploads.active.bytes], ["storage_full", 0]);
  },
});

const REJECTED: [
  mistake: string,
  range: RawRange,
  text: string,
  code: UploadErrorCode,
  message: string,
  from: number,
][] = [
  ["a range after a gap", { offset: 6 }, "rld", "conflict", "must start at byte 5, got 6: 5 of 10 bytes", 5],
  [
    "a range that was sent before",
    { offset: 0, length: 5 },
    "hello",
    "conflict",
    "must start at byte 5, got 0",
    5,
  ],
  [
    "a range of another file",
    { offset: 5, length: 5, total: 99 },
    "world",
    "invalid",
    "declares a file of 99 bytes",
    5,
  ],
  [
    "a range beyond the file",
    { offset: 5, length: 6 },
    "world!",
    "too_large",
    "The body would end at byte 11",
    5,
  ],
  [
    "a whole file that is too long",
    { length: 11 },
    "helloworld!",
    "too_large",
    "The body would end at byte 11",
    5,
  ],
  ["a whole file that is too short", { length: 9 }, "helloworl", "invalid", "A part needs Content-Range", 5],
  [
    "a body longer than its range",
    { offset: 5, length: 3 },
    "worl",
    "too_large",
    "longer than the declared 3 bytes",
    5,
  ],
  ["a body shorter than its range", { offset: 5, length: 3 }, "wo", "incomplete", "7 bytes are kept", 7],
];
for (const [mistake, range, text, code, message, from] of REJECTED) {
  Deno.test(`${mistake} is rejected with the offset to resume from`, async () => {
    await using fixture = await Fixture.open();
    const { upload_id, capability } = await fixture.start();
    await fixture.uploads.putRange(capability, { offset: 0, length: 5 }, body("hello"));
    const error = await assertRejects(
      () => fixture.uploads.putRange(capability, range, body(text)),
      UploadError,
      message,
    );
    assertEquals([error.code, error.resumeFrom], [code, from]);
    await fixture.uploads.putRange(capability, { offset: from }, body("helloworld".slice(from)));
    assertEquals(await fixture.receive(upload_id), "helloworld");
  });
}

Deno.test("a body longer than the file is dropped", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hello", "world", "!")),
    UploadError,
    "The body is longer than the declared 10 bytes and was dropped. Send the file from its start",
  );
  assertEquals([error.code, error.resumeFrom, fixture.uploads.active.bytes], ["too_large", 0, 0]);
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("raw bytes and chunks cannot be mixed in one upload", async () => {
  await using fixture = await Fixture.open();
  const raw = await fixture.start();
  await fixture.uploads.putRange(raw.capability, { offset: 0, length: 5 }, body("hello"));
  const chunk = await assertRejects(
    () => fixture.uploads.putChunk(CALLER, raw.upload_id, 0, base64("world")),
    UploadError,
    "receives raw bytes at its upload_url: continue there, from byte 5",
  );
  assertEquals(chunk.code, "conflict");
  const chunked = await fixture.start();
  await fixture.uploads.putChunk(CALLER, chunked.upload_id, 0, base64("hello"));
  const put = await assertRejects(
    () => fixture.uploads.putRange(chunked.capability, {}, body("helloworld")),
    UploadError,
    "receives chunks: continue with kb_upload_chunk",
  );
  assertEquals(put.code, "conflict");
});

Deno.test("finishing raw bytes too early reports the offset to resume from", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putRange(capability, { offset: 0, length: 4 }, body("hell"));
  await assertRejects(
    () => fixture.receive(upload_id),
    UploadError,
    "6 bytes are still missing: 4 of 10 received. Continue with a PUT to its upload_url from byte 4, then finish again.",
  );
});

Deno.test("a running PUT rejects another PUT, a chunk and a finish, and completes", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const { readable, send, close } = openBody();
  const running = fixture.uploads.putRange(capability, {}, readable);
  await send("hello");
  for (
    const attempt of [
      () => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")),
      () => fixture.uploads.putChunk(CALLER, upload_id, 0, base64("HELLOWORLD")),
      () => fixture.receive(upload_id),
    ]
  ) {
    const error = await assertRejects(
      attempt,
      UploadError,
      "is receiving bytes by PUT: wait until that request",
    );
    assertEquals(error.code, "busy");
  }
  await send("world");
  await close();
  await running;
  assertEquals(await fixture.receive(upload_id), "helloworld");
});
