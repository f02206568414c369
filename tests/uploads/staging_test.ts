import { lutimes } from "node:fs/promises";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { UploadError, Uploads } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, list, openBody, recorder } from "./support.ts";

const LIMITS = { maxBytes: 1000, maxPerCaller: 3, maxStagedBytes: 2000, idleMs: 600_000 };
const LONG_AGO = new Date("2026-01-01");

async function stagingDirectory(parent: string): Promise<string> {
  const [first] = await Array.fromAsync(Deno.readDir(parent));
  return `${parent}/${first!.name}`;
}

Deno.test({
  name: "nobody else can read what is staged",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using fixture = await Fixture.open();
    const { upload_id } = await fixture.start();
    await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
    const staging = await stagingDirectory(fixture.parent);
    const modes = [staging, `${staging}/${upload_id}`, `${staging}/${upload_id}/0`].map(async (path) =>
      ((await Deno.stat(path)).mode ?? 0) & 0o777
    );
    assertEquals(await Promise.all(modes), [0o700, 0o700, 0o600]);
  },
});

Deno.test("at the end every staged byte and the directory are gone", async () => {
  await using fixture = await Fixture.open();
  const raw = await fixture.start();
  await fixture.uploads.putRange(raw.capability, { offset: 0, length: 2 }, body("he"));
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  await fixture.uploads[Symbol.asyncDispose]();
  assertEquals(await list(fixture.parent), []);
});

Deno.test("at the end a running PUT and chunks on their way are stopped, and nothing is left", async () => {
  await using fixture = await Fixture.open();
  const raw = await fixture.start();
  const { readable, send, closed } = openBody();
  const running = fixture.uploads.putRange(raw.capability, {}, readable).catch((error) => error);
  await send("hello");
  const { upload_id } = await fixture.start();
  const chunks = ["a", "b", "c"].map((text, index) =>
    fixture.uploads.putChunk(CALLER, upload_id, index, base64(text))
  );
  const [, ...results] = await Promise.all([
    fixture.uploads[Symbol.asyncDispose](),
    ...chunks.map((chunk) => chunk.catch((error) => error)),
  ]);
  assertEquals(await list(fixture.parent), []);
  assertEquals((await running).kind, "stopping");
  await closed;
  assert(results.every((result) => result instanceof UploadError ? result.kind === "stopping" : true));
});

Deno.test("a start on its way when the server stops leaves nothing, and later ones are refused", async () => {
  await using fixture = await Fixture.open();
  const starting = fixture.start().catch((error) => error);
  await fixture.uploads[Symbol.asyncDispose]();
  await starting;
  assertEquals(await list(fixture.parent), []);
  await assertRejects(() => fixture.start(), UploadError, "The server is stopping");
  assertEquals(await list(fixture.parent), []);
});

Deno.test("after a restart the uploads of before are unknown", async () => {
  const parent = await Deno.makeTempDir();
  const declared = { filename: "a.txt", totalSize: 5, tags: [], collection: "documents" };
  let id: string, link: string;
  {
    await using before = await Uploads.open({ ...LIMITS, directory: parent });
    ({ upload_id: id, capability: link } = await before.start(CALLER, declared));
  }
  {
    await using after = await Uploads.open({ ...LIMITS, directory: parent });
    await assertRejects(() => after.putChunk(CALLER, id, 0, base64("hello")), UploadError, "was not found");
    await assertRejects(
      () => after.finish(CALLER, id, () => Promise.resolve()),
      UploadError,
      "was not found",
    );
    await assertRejects(() => after.putRange(link, {}, body("hello")), UploadError, "not valid");
  }
  await Deno.remove(parent);
});

Deno.test("what a killed process left behind is removed at the next start", async () => {
  const parent = await Deno.makeTempDir();
  const dead = await Deno.makeTempDir({ dir: parent, prefix: "kb-mcp-uploads-" });
  await Deno.mkdir(`${dead}/${crypto.randomUUID()}`);
  await Deno.writeTextFile(`${dead}/lock`, "");
  await Deno.utime(`${dead}/lock`, LONG_AGO, LONG_AGO);
  const log = recorder();
  {
    await using _uploads = await Uploads.open({ ...LIMITS, directory: parent, log });
    await assertRejects(() => Deno.stat(dead), Deno.errors.NotFound);
  }
  assertEquals(log.events, ["info uploads of a process that has ended were removed"]);
  await Deno.remove(parent);
});

const KEPT: Record<string, (directory: string) => Promise<unknown>> = {
  "has just been made": (directory) => Deno.writeTextFile(`${directory}/lock`, ""),
  "has no lock file": () => Promise.resolve(),
  "has a link for a lock": async (directory) => {
    await Deno.writeTextFile(`${directory}/target`, "");
    await Deno.utime(`${directory}/target`, LONG_AGO, LONG_AGO);
    await Deno.symlink(`${directory}/target`, `${directory}/lock`);
    await lutimes(`${directory}/lock`, LONG_AGO, LONG_AGO);
  },
};
for (const [what, prepare] of Object.entries(KEPT)) {
  Deno.test(`a directory beside ours that ${what} is left alone`, async () => {
    const parent = await Deno.makeTempDir();
    const other = await Deno.makeTempDir({ dir: parent, prefix: "kb-mcp-uploads-" });
    await prepare(other);
    {
      await using _uploads = await Uploads.open({ ...LIMITS, directory: parent });
      assert((await Deno.stat(other)).isDirectory);
    }
    await Deno.remove(parent, { recursive: true });
  });
}

Deno.test("the staging of a living process is left alone, however old", async () => {
  await using fixture = await Fixture.open();
  const staging = await stagingDirectory(fixture.parent);
  await Deno.utime(`${staging}/lock`, LONG_AGO, LONG_AGO);
  await using _other = await Uploads.open({ ...LIMITS, directory: fixture.parent });
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test("a link that looks like a leftover is not followed", async () => {
  const parent = await Deno.makeTempDir();
  const precious = await Deno.makeTempDir();
  await Deno.writeTextFile(`${precious}/lock`, "");
  await Deno.utime(`${precious}/lock`, LONG_AGO, LONG_AGO);
  await Deno.symlink(precious, `${parent}/kb-mcp-uploads-link`);
  {
    await using _uploads = await Uploads.open({ ...LIMITS, directory: parent });
    assert((await Deno.stat(`${precious}/lock`)).isFile);
    assert((await Deno.lstat(`${parent}/kb-mcp-uploads-link`)).isSymlink);
  }
  await Deno.remove(parent, { recursive: true });
  await Deno.remove(precious, { recursive: true });
});

// Writing to /dev/full fails as on a full disk, so a link to it stands where the bytes go.
Deno.test({
  name: "a full disk is told as such, keeps what was there, and a later chunk goes through",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using fixture = await Fixture.open();
    const { upload_id } = await fixture.start();
    await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
    const directory = `${await stagingDirectory(fixture.parent)}/${upload_id}`;
    await Deno.symlink("/dev/full", `${directory}/incoming`);
    for (const index of [0, 1]) {
      const error = await assertRejects(
        async () => {
          await Deno.symlink("/dev/full", `${directory}/incoming`).catch(() => {});
          await fixture.uploads.putChunk(CALLER, upload_id, index, base64("world"));
        },
        UploadError,
        "The disk on which uploads are staged is full. What was received before is kept",
      );
      assertEquals(error.kind, "storage_full");
      assert(!error.message.includes(fixture.parent));
    }
    await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("world"));
    assertEquals(await fixture.receive(upload_id), "helloworld");
  },
});
