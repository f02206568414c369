import { assert, assertEquals, assertRejects } from "@std/assert";
import { UploadError } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture } from "./support.ts";

Deno.test("another caller's upload is indistinguishable from one that never existed", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  const never = crypto.randomUUID();
  for (
    const attempt of [
      (id: string) => fixture.uploads.putChunk("caller-b", id, 0, base64("x")),
      (id: string) => fixture.uploads.finish("caller-b", id, () => Promise.resolve()),
    ]
  ) {
    const theirs = await assertRejects(() => attempt(upload_id), UploadError);
    const unknown = await assertRejects(() => attempt(never), UploadError);
    assertEquals(theirs.code, "not_found");
    assertEquals(theirs.message.replace(upload_id, "ID"), unknown.message.replace(never, "ID"));
  }
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a malformed id is not found, and the error truncates it", async () => {
  await using fixture = await Fixture.open();
  for (const id of ["", "../x", "__proto__", "x".repeat(100_000)]) {
    const error = await assertRejects(() => fixture.receive(id), UploadError, "was not found");
    assert(error.message.length < 300);
  }
});

Deno.test("uploads per caller are limited, and the error lists those in progress", async () => {
  await using fixture = await Fixture.open({ maxPerCaller: 2 });
  const first = await fixture.start({ filename: "a.txt" });
  const second = await fixture.start({ filename: "b.txt" });
  await fixture.uploads.putChunk(CALLER, first.upload_id, 0, base64("x"));
  await fixture.uploads.putRange(second.capability, { offset: 0, length: 1 }, body("x"));
  const error = await assertRejects(() => fixture.start(), UploadError);
  assertEquals(error.code, "too_many");
  assertEquals(
    error.message,
    "At most 2 uploads may be in progress per token (KB_UPLOAD_MAX_PER_TOKEN), and 2 are: " +
      `${first.upload_id} ("a.txt"), ${second.upload_id} ("b.txt"). Finish one of them with kb_upload_finish, or try ` +
      "again in 600 seconds, when the first one expires unless it receives bytes.",
  );
  await fixture.start({}, "caller-b");
  await fixture.uploads.putChunk(CALLER, first.upload_id, 0, base64("helloworld"));
  await fixture.receive(first.upload_id);
  await fixture.start();
});

Deno.test("the error for too many uploads lists at most five", async () => {
  for (const [count, end] of [[5, '("5.txt"). Finish'], [6, '("5.txt"), …. Finish']] as const) {
    await using fixture = await Fixture.open({ maxPerCaller: count });
    for (let n = 1; n <= count; n++) {
      const { upload_id } = await fixture.start({ filename: `${n}.txt` });
      await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("x"));
    }
    await assertRejects(() => fixture.start(), UploadError, end);
  }
});

Deno.test("at the limit, a new upload is refused and the unused ones stay valid until they expire", async () => {
  await using fixture = await Fixture.open({ maxPerCaller: 2, maxStagedBytes: 1000 });
  const first = await fixture.start();
  fixture.clock.ms += 60_500;
  const second = await fixture.start();
  for (let attempt = 0; attempt < 8; attempt++) {
    const error = await assertRejects(
      () => fixture.start(),
      UploadError,
      "or try again in 540 seconds, when",
    );
    assertEquals(error.code, "too_many");
  }
  await fixture.start({}, "caller-b");
  fixture.clock.ms += 539_499;
  await assertRejects(() => fixture.start(), UploadError, "or try again in 1 second, when");
  await fixture.uploads.putRange(first.capability, {}, body("helloworld"));
  await fixture.uploads.putChunk(CALLER, second.upload_id, 0, base64("helloworld"));
  assertEquals(await fixture.receive(first.upload_id), "helloworld");
  assertEquals(await fixture.receive(second.upload_id), "helloworld");
});

Deno.test("the declared sizes of all uploads are reserved at the start", async () => {
  await using fixture = await Fixture.open({ maxStagedBytes: 100 });
  const first = await fixture.start({ totalSize: 60 });
  const error = await assertRejects(() => fixture.start({ totalSize: 41 }, "caller-b"), UploadError);
  assertEquals(error.code, "too_many");
  assertEquals(
    error.message,
    "All uploads together may stage 100 bytes (KB_UPLOAD_MAX_STAGED), 60 are reserved, so 41 more do not fit now. " +
      "Finish an upload, or try again later: idle uploads expire after 10 minutes.",
  );
  await fixture.start({ totalSize: 40 }, "caller-b");
  await fixture.uploads.putChunk(CALLER, first.upload_id, 0, base64("x".repeat(60)));
  await fixture.receive(first.upload_id);
  await fixture.start({ totalSize: 60 });
});

Deno.test("a file over the limit for all uploads is too large, not too early", async () => {
  await using fixture = await Fixture.open({ maxStagedBytes: 100 });
  const error = await assertRejects(
    () => fixture.start({ totalSize: 101 }),
    UploadError,
    "KB_UPLOAD_MAX_STAGED",
  );
  assertEquals(error.code, "too_large");
});

Deno.test("concurrent starts cannot exceed the limits", async () => {
  await using fixture = await Fixture.open({ maxPerCaller: 3, maxStagedBytes: 20 });
  const byNumber = await Promise.allSettled(Array.from({ length: 8 }, () => fixture.start({ totalSize: 1 })));
  assertEquals(byNumber.filter(({ status }) => status === "fulfilled").length, 3);
  const bySize = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => fixture.start({ totalSize: 8 }, `caller-${n}`)),
  );
  assertEquals(bySize.filter(({ status }) => status === "fulfilled").length, 2);
});

Deno.test("uploads in progress and their bytes are counted", async () => {
  await using fixture = await Fixture.open();
  const { upload_id } = await fixture.start();
  await fixture.start({}, "caller-b");
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  assertEquals(fixture.uploads.active, { uploads: 2, bytes: 5 });
});
