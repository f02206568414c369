import { assert, assertEquals, assertRejects } from "@std/assert";
import { type RawRange, UploadError, type UploadErrorKind } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, list, openBody } from "./support.ts";

Deno.test("a whole file by PUT is complete and can be finished", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const state = await fixture.uploads.putRange(capability, {}, body("hello", "world"));
  assertEquals([state.received_bytes, state.chunks_received, state.complete], [10, 0, true]);
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a link dies with the last byte", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")),
    UploadError,
  );
  assertEquals(error.kind, "not_found");
  assertEquals(await fixture.receive(upload_id), "helloworld");
  await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("HELLOWORLD")),
    UploadError,
    "not valid",
  );
});

Deno.test("a link dies when its upload is given up, and with the last chunk", async () => {
  await using fixture = await Fixture.open();
  const given = await fixture.start();
  await fixture.uploads.abort(CALLER, given.upload_id);
  await assertRejects(
    () => fixture.uploads.putRange(given.capability, {}, body("x")),
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

Deno.test("an upload_id is no link, and the link itself is nowhere on disk", async () => {
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

Deno.test("a body that nobody reads is cancelled", async () => {
  await using fixture = await Fixture.open();
  const { readable, closed } = openBody();
  await assertRejects(() => fixture.uploads.putRange("nonsense", {}, readable), UploadError);
  await closed;
});

Deno.test("ranges follow one another", async () => {
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

Deno.test("what arrived before a PUT broke off is kept, and a range goes on from there", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hel", "lo", new Error("connection reset"))),
    UploadError,
    "The body broke off, 5 bytes are kept. Resume from byte 5: curl -C 5 -T FILE URL.",
  );
  assertEquals([error.kind, error.resumeFrom], ["incomplete", 5]);
  await fixture.uploads.putRange(capability, { offset: 5, length: 5, total: 10 }, body("world"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a body that ends early counts as broken off", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hello")),
    UploadError,
  );
  assertEquals([error.kind, error.resumeFrom], ["incomplete", 5]);
});

Deno.test("a PUT without a range starts the file over, and nothing of the old bytes is left", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("XXXXXXXX", new Error("reset"))));
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("he", new Error("reset"))));
  assertEquals(fixture.uploads.active.bytes, 2);
  await fixture.uploads.putRange(capability, { offset: 2 }, body("lloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a PUT without a range that breaks off before its first byte leaves the old bytes", async () => {
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
  name: "a file that is started over on a full disk does not pass off old bytes as new ones",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using fixture = await Fixture.open();
    const { upload_id, capability } = await fixture.start();
    await fixture.uploads.putRange(capability, { offset: 0, length: 5 }, body("HELLO"));
    const [staging] = await Array.fromAsync(Deno.readDir(fixture.parent));
    const file = `${fixture.parent}/${staging!.name}/${upload_id}/raw`;
    await Deno.remove(file);
    await Deno.symlink("/dev/full", file); // writing to it fails as on a full disk
    const error = await assertRejects(
      () => fixture.uploads.putRange(capability, {}, body("helloworld")),
      UploadError,
    );
    assertEquals([error.kind, fixture.uploads.active.bytes], ["storage_full", 0]);
  },
});

const REFUSED: [
  what: string,
  range: RawRange,
  text: string,
  kind: UploadErrorKind,
  message: string,
  from: number,
][] = [
  ["a range behind a gap", { offset: 6 }, "rld", "conflict", "must start at byte 5, got 6: 5 of 10 bytes", 5],
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
    "The body would make 11 bytes",
    5,
  ],
  [
    "a whole file that is too long",
    { length: 11 },
    "helloworld!",
    "too_large",
    "The body would make 11 bytes",
    5,
  ],
  ["a whole file that is too short", { length: 9 }, "helloworl", "invalid", "A part needs Content-Range", 5],
  [
    "a body longer than its range",
    { offset: 5, length: 3 },
    "worl",
    "too_large",
    "longer than the 3 bytes",
    5,
  ],
  ["a body shorter than its range", { offset: 5, length: 3 }, "wo", "incomplete", "7 bytes are kept", 7],
];
for (const [what, range, text, kind, message, from] of REFUSED) {
  Deno.test(`${what} is refused, with where to go on`, async () => {
    await using fixture = await Fixture.open();
    const { upload_id, capability } = await fixture.start();
    await fixture.uploads.putRange(capability, { offset: 0, length: 5 }, body("hello"));
    const error = await assertRejects(
      () => fixture.uploads.putRange(capability, range, body(text)),
      UploadError,
      message,
    );
    assertEquals([error.kind, error.resumeFrom], [kind, from]);
    await fixture.uploads.putRange(capability, { offset: from }, body("helloworld".slice(from)));
    assertEquals(await fixture.receive(upload_id), "helloworld");
  });
}

Deno.test("of a body that turns out longer than the file nothing is kept", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const error = await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("hello", "world", "!")),
    UploadError,
    "The body is longer than the 10 bytes it should have; nothing of it was kept. Send the file from its start",
  );
  assertEquals([error.kind, error.resumeFrom, fixture.uploads.active.bytes], ["too_large", 0, 0]);
  await fixture.uploads.putRange(capability, {}, body("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("raw bytes and chunks do not mix in one upload", async () => {
  await using fixture = await Fixture.open();
  const raw = await fixture.start();
  await fixture.uploads.putRange(raw.capability, { offset: 0, length: 5 }, body("hello"));
  const chunk = await assertRejects(
    () => fixture.uploads.putChunk(CALLER, raw.upload_id, 0, base64("world")),
    UploadError,
    "is being sent as raw bytes to its upload_url: go on there, from byte 5",
  );
  assertEquals(chunk.kind, "conflict");
  const chunked = await fixture.start();
  await fixture.uploads.putChunk(CALLER, chunked.upload_id, 0, base64("hello"));
  const put = await assertRejects(
    () => fixture.uploads.putRange(chunked.capability, {}, body("helloworld")),
    UploadError,
    "is being sent in chunks: go on with kb_upload_chunk",
  );
  assertEquals(put.kind, "conflict");
});

Deno.test("finishing raw bytes too early says where to go on", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putRange(capability, { offset: 0, length: 4 }, body("hell"));
  await assertRejects(
    () => fixture.receive(upload_id),
    UploadError,
    "6 bytes are still missing: 4 of 10 have arrived. Go on by PUT to its upload_url from byte 4, then finish again.",
  );
});

Deno.test("while a PUT is running, another, a chunk, a finish and an abort are refused, and it goes on", async () => {
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
      () => fixture.uploads.abort(CALLER, upload_id),
    ]
  ) {
    const error = await assertRejects(
      attempt,
      UploadError,
      "is receiving bytes by PUT: wait until that request",
    );
    assertEquals(error.kind, "busy");
  }
  await send("world");
  await close();
  await running;
  assertEquals(await fixture.receive(upload_id), "helloworld");
});
