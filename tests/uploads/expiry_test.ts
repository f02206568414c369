import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { UploadError, Uploads } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, openBody, recorder } from "./support.ts";

const MINUTE = 60_000;

Deno.test("an upload that is idle for ten minutes is removed with its files, capability and quota", async () => {
  const log = recorder();
  await using fixture = await Fixture.open({ maxPerCaller: 1, maxStagedBytes: 10, log });
  const { upload_id, capability } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  fixture.clock.ms += 10 * MINUTE - 1;
  assertEquals(await fixture.uploads.sweep(), 0);
  fixture.clock.ms += 1;
  assertEquals(await fixture.uploads.sweep(), 1);
  assertEquals(await fixture.staged(), []);
  assertEquals(fixture.uploads.active, { uploads: 0, bytes: 0 });
  assertEquals(log.events, ["info removing expired upload"]);
  for (
    const attempt of [
      () => fixture.uploads.putChunk(CALLER, upload_id, 1, base64("world")),
      () => fixture.receive(upload_id),
    ]
  ) {
    const error = await assertRejects(attempt, UploadError);
    assertEquals(
      error.message,
      `Upload "${upload_id}" was not found: it never existed, was finished, or expired after 10 minutes without a ` +
        "chunk. If it was finished, kb_jobs lists its job; otherwise start again with kb_upload_start.",
    );
  }
  await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("x")),
    UploadError,
    "after 10 minutes",
  );
  await fixture.start();
});

Deno.test("an idle upload expires on time, even before the next sweep", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  fixture.clock.ms += 10 * MINUTE;
  await assertRejects(
    () => fixture.uploads.putChunk(CALLER, upload_id, 0, base64("x")),
    UploadError,
    "not found",
  );
  await assertRejects(() => fixture.uploads.putRange(capability, {}, body("x")), UploadError, "not valid");
});

Deno.test("an expired upload does not count against the limit before the next sweep", async () => {
  await using fixture = await Fixture.open({ maxPerCaller: 1 });
  const { upload_id } = await fixture.start();
  fixture.clock.ms += 10 * MINUTE;
  assertNotEquals((await fixture.start()).upload_id, upload_id);
});

Deno.test("an accepted chunk restarts the idle time, a rejected one does not", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  fixture.clock.ms += 9 * MINUTE;
  const state = await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  assertEquals(state.expires_at, "2026-01-01T00:19:00.000Z");
  fixture.clock.ms += 9 * MINUTE;
  await assertRejects(() => fixture.uploads.putChunk(CALLER, upload_id, 1, "*"), UploadError);
  assertEquals(await fixture.uploads.sweep(), 0);
  fixture.clock.ms += MINUTE;
  assertEquals(await fixture.uploads.sweep(), 1);
});

Deno.test("bytes received by PUT restart the idle time, a PUT without bytes does not", async () => {
  await using fixture = await Fixture.open();
  const { capability } = await fixture.start();
  fixture.clock.ms += 9 * MINUTE;
  await assertRejects(
    () => fixture.uploads.putRange(capability, {}, body("he", new Error("reset"))),
    UploadError,
  );
  fixture.clock.ms += 9 * MINUTE;
  await assertRejects(() => fixture.uploads.putRange(capability, { offset: 9 }, body("x")), UploadError);
  assertEquals(await fixture.uploads.sweep(), 0);
  fixture.clock.ms += MINUTE;
  assertEquals(await fixture.uploads.sweep(), 1);
});

Deno.test("an upload does not expire while a PUT is running", async () => {
  await using fixture = await Fixture.open();
  const { upload_id, capability } = await fixture.start();
  const { readable, send, close } = openBody();
  const running = fixture.uploads.putRange(capability, {}, readable);
  await send("hello");
  fixture.clock.ms += 60 * MINUTE;
  assertEquals(await fixture.uploads.sweep(), 0);
  await send("world");
  await close();
  assertEquals((await running).expires_at, "2026-01-01T01:10:00.000Z");
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("an upload does not expire while it is being finished, and its idle time restarts when that fails", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  const rejected = new Error("the engine took an hour to fail");
  const error = await assertRejects(() =>
    fixture.uploads.finish(CALLER, upload_id, async () => {
      fixture.clock.ms += 60 * MINUTE;
      assertEquals(await fixture.uploads.sweep(), 0);
      throw rejected;
    })
  );
  assertEquals(error, rejected);
  fixture.clock.ms += 9 * MINUTE;
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("the error names the configured idle time", async () => {
  for (const [idleMs, words] of [[MINUTE, "1 minute "], [90_000, "90 seconds "]] as const) {
    await using fixture = await Fixture.open({ idleMs });
    await assertRejects(() => fixture.receive("x"), UploadError, `expired after ${words}without a chunk`);
  }
});

for (const years of [-1, 1]) {
  Deno.test(`an upload expires on time when the system clock is set by ${years} years`, async () => {
    await using fixture = await Fixture.open();
    const { upload_id } = await fixture.start();
    fixture.clock.shiftMs = years * 365 * 24 * 60 * MINUTE;
    fixture.clock.ms += 9 * MINUTE;
    assertEquals(await fixture.uploads.sweep(), 0);
    const { expires_at } = await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
    assertEquals(expires_at, `${2026 + years}-01-01T00:19:00.000Z`);
    fixture.clock.ms += 10 * MINUTE;
    assertEquals(await fixture.uploads.sweep(), 1);
  });
}

Deno.test("by default, idle times do not depend on the system clock", async () => {
  const parent = await Deno.makeTempDir();
  const systemNow = Date.now;
  try {
    const limits = { maxBytes: 10, maxPerCaller: 1, maxStagedBytes: 10, idleMs: 600_000 };
    await using uploads = await Uploads.open({ ...limits, directory: parent });
    await uploads.start(CALLER, { filename: "a.txt", totalSize: 1, tags: [], collection: "documents" });
    Date.now = () => systemNow() + 365 * 24 * 60 * MINUTE;
    assertEquals(await uploads.sweep(), 0);
  } finally {
    Date.now = systemNow;
    await Deno.remove(parent, { recursive: true });
  }
});
