import { lutimes } from "node:fs/promises";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { StagingDirectory } from "../../src/uploads/staging_directory.ts";
import { UploadError, Uploads } from "../../src/uploads/mod.ts";
import { base64, body, CALLER, Fixture, list, openBody, recorder, stagingDirectory } from "./support.ts";

const LIMITS = { maxBytes: 1000, maxPerCaller: 3, maxStagedBytes: 2000, idleMs: 600_000 };
const LONG_AGO = new Date("2026-01-01");

Deno.test("dispose removes the staging directory", async () => {
  await using fixture = await Fixture.open();
  const raw = await fixture.start();
  await fixture.uploads.putRange(raw.capability, { offset: 0, length: 2 }, body("he"));
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  await fixture.uploads[Symbol.asyncDispose]();
  assertEquals(await list(fixture.parent), []);
});

Deno.test("dispose interrupts a running PUT and pending chunks, and leaves no files", async () => {
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
  assertEquals((await running).code, "stopping");
  await closed;
  assert(results.every((result) => result instanceof UploadError ? result.code === "stopping" : true));
});

Deno.test("dispose leaves no files of a concurrent start, and later starts are rejected", async () => {
  await using fixture = await Fixture.open();
  const starting = fixture.start().catch((error) => error);
  await fixture.uploads[Symbol.asyncDispose]();
  await starting;
  assertEquals(await list(fixture.parent), []);
  await assertRejects(() => fixture.start(), UploadError, "The server is shutting down");
  assertEquals(await list(fixture.parent), []);
});

Deno.test("uploads start after the staging directory was removed, such as by a program that cleans up /tmp", async () => {
  await using fixture = await Fixture.open();
  await Deno.remove(await stagingDirectory(fixture.parent), { recursive: true });
  const uploads = await Promise.all([fixture.start(), fixture.start()]);
  for (const { upload_id } of uploads) {
    await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
    assertEquals(await fixture.receive(upload_id), "helloworld");
  }
  await fixture.uploads[Symbol.asyncDispose]();
  assertEquals(await list(fixture.parent), []);
});

Deno.test({
  name: "uploads never go to a directory of another user in place of the staging directory",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0, // Only root can change the owner.
  async fn() {
    await using fixture = await Fixture.open();
    const staging = await stagingDirectory(fixture.parent);
    await Deno.chown(staging, 12_345, null);
    await fixture.start();
    assertEquals((await list(staging)).filter((path) => path !== "lock"), []);
  },
});

Deno.test("a restart drops all uploads", async () => {
  const parent = await Deno.makeTempDir();
  const declared = { filename: "a.txt", totalSize: 5, tags: [], collection: "documents" };
  let id: string, capability: string;
  {
    await using before = await Uploads.open({ ...LIMITS, directory: parent });
    ({ upload_id: id, capability } = await before.start(CALLER, declared));
  }
  {
    await using after = await Uploads.open({ ...LIMITS, directory: parent });
    await assertRejects(() => after.putChunk(CALLER, id, 0, base64("hello")), UploadError, "was not found");
    await assertRejects(
      () => after.finish(CALLER, id, () => Promise.resolve()),
      UploadError,
      "was not found",
    );
    await assertRejects(() => after.putRange(capability, {}, body("hello")), UploadError, "not valid");
  }
  await Deno.remove(parent);
});

Deno.test("the leftovers of a killed process are removed at the next start", async () => {
  const parent = await Deno.makeTempDir();
  const dead = await Deno.makeTempDir({ dir: parent, prefix: "kb-mcp-uploads-" });
  await Deno.mkdir(`${dead}/${crypto.randomUUID()}`);
  await Deno.writeTextFile(`${dead}/lock`, "");
  await Deno.utime(`${dead}/lock`, LONG_AGO, LONG_AGO);
  const log = recorder();
  {
    await using staging = await StagingDirectory.open(parent, log);
    await staging.leftoversRemoved;
    await assertRejects(() => Deno.stat(dead), Deno.errors.NotFound);
  }
  assertEquals(log.events, ["info removed uploads of a killed process"]);
  await Deno.remove(parent);
});

const KEPT: Record<string, (directory: string) => Promise<unknown>> = {
  "was just created": (directory) => Deno.writeTextFile(`${directory}/lock`, ""),
  "has no lock file": () => Promise.resolve(),
  "has a symbolic link as its lock file": async (directory) => {
    await Deno.writeTextFile(`${directory}/target`, "");
    await Deno.utime(`${directory}/target`, LONG_AGO, LONG_AGO);
    await Deno.symlink(`${directory}/target`, `${directory}/lock`);
    await lutimes(`${directory}/lock`, LONG_AGO, LONG_AGO);
  },
};
for (const [state, prepare] of Object.entries(KEPT)) {
  Deno.test(`another staging directory that ${state} is kept`, async () => {
    const parent = await Deno.makeTempDir();
    const other = await Deno.makeTempDir({ dir: parent, prefix: "kb-mcp-uploads-" });
    await prepare(other);
    {
      await using staging = await StagingDirectory.open(parent, silentLogger);
      await staging.leftoversRemoved;
      assert((await Deno.stat(other)).isDirectory);
    }
    await Deno.remove(parent, { recursive: true });
  });
}

Deno.test("the staging directory of a running process is kept, regardless of its age", async () => {
  await using fixture = await Fixture.open();
  const staging = await stagingDirectory(fixture.parent);
  await Deno.utime(`${staging}/lock`, LONG_AGO, LONG_AGO);
  await using other = await StagingDirectory.open(fixture.parent, silentLogger);
  await other.leftoversRemoved;
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("helloworld"));
  assertEquals(await fixture.receive(upload_id), "helloworld");
});

Deno.test({
  name: "another user's staging directory is kept",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0, // Only root can change the owner.
  async fn() {
    const parent = await Deno.makeTempDir();
    const other = await Deno.makeTempDir({ dir: parent, prefix: "kb-mcp-uploads-" });
    await Deno.writeTextFile(`${other}/lock`, "");
    await Deno.utime(`${other}/lock`, LONG_AGO, LONG_AGO);
    await Deno.chown(other, 12_345, null);
    {
      await using staging = await StagingDirectory.open(parent, silentLogger);
      await staging.leftoversRemoved;
      assert((await Deno.stat(other)).isDirectory);
    }
    await Deno.remove(parent, { recursive: true });
  },
});

Deno.test("a symbolic link that looks like a leftover is not followed", async () => {
  const parent = await Deno.makeTempDir();
  const precious = await Deno.makeTempDir();
  await Deno.writeTextFile(`${precious}/lock`, "");
  await Deno.utime(`${precious}/lock`, LONG_AGO, LONG_AGO);
  await Deno.symlink(precious, `${parent}/kb-mcp-uploads-link`);
  {
    await using staging = await StagingDirectory.open(parent, silentLogger);
    await staging.leftoversRemoved;
    assert((await Deno.stat(`${precious}/lock`)).isFile);
    assert((await Deno.lstat(`${parent}/kb-mcp-uploads-link`)).isSymlink);
  }
  await Deno.remove(parent, { recursive: true });
  await Deno.remove(precious, { recursive: true });
});

// Writing to /dev/full fails with ENOSPC.
Deno.test({
  name: "a full disk is reported, earlier chunks are kept, and a later chunk succeeds",
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
        "The disk on which uploads are staged is full. The bytes received before are kept",
      );
      assertEquals(error.code, "storage_full");
      assert(!error.message.includes(fixture.parent));
    }
    await fixture.uploads.putChunk(CALLER, upload_id, 1, base64("world"));
    assertEquals(await fixture.receive(upload_id), "helloworld");
  },
});

Deno.test("an upload that expires while chunks are pending leaves no files", async () => {
  await using fixture = await Fixture.open();
  for (let round = 0; round < 30; round++) {
    const { upload_id } = await fixture.start({ totalSize: 900 });
    const chunks = [0, 1, 2].map((index) =>
      fixture.uploads.putChunk(CALLER, upload_id, index, base64("x".repeat(300)))
    );
    await Promise.resolve(); // The first chunk is being written, the others are queued.
    fixture.clock.ms += LIMITS.idleMs;
    const results = await Promise.allSettled([fixture.uploads.sweep(), ...chunks]);
    assertEquals(results.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "rejected"]);
    assertEquals(await fixture.staged(), []);
  }
});

Deno.test("staged files that cannot be removed are logged, and keep their quota until they are removed", async () => {
  const log = recorder();
  await using fixture = await Fixture.open({ maxStagedBytes: 10, log });
  const { upload_id } = await fixture.start();
  await fixture.uploads.putChunk(CALLER, upload_id, 0, base64("hello"));
  const staging = await stagingDirectory(fixture.parent);
  await Deno.rename(staging, `${staging}.moved`);
  await Deno.writeTextFile(staging, "Removing a path below a file fails with ENOTDIR.");
  fixture.clock.ms += LIMITS.idleMs;
  assertEquals(await fixture.uploads.sweep(), 1);
  assertEquals(log.events, ["info removing expired upload", "warn failed to remove staged files"]);
  await assertRejects(() => fixture.start({ totalSize: 10 }), UploadError, "10 are reserved");
  await Deno.remove(staging);
  await Deno.rename(`${staging}.moved`, staging);
  assertEquals(await fixture.uploads.sweep(), 0);
  assertEquals(await fixture.staged(), []);
  await fixture.start({ totalSize: 10 });
});

Deno.test("staged files that are already gone are not reported", async () => {
  const log = recorder();
  await using fixture = await Fixture.open({ log });
  const { upload_id } = await fixture.start();
  await Deno.remove(`${await stagingDirectory(fixture.parent)}/${upload_id}`);
  fixture.clock.ms += LIMITS.idleMs;
  assertEquals(await fixture.uploads.sweep(), 1);
  assertEquals(log.events, ["info removing expired upload"]);
});

Deno.test("staged files and their directories are private, regardless of the umask", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const umask = Deno.umask(0);
  try {
    await using fixture = await Fixture.open();
    const chunked = await fixture.start();
    await fixture.uploads.putChunk(CALLER, chunked.upload_id, 0, base64("hello"));
    const { capability } = await fixture.start();
    await fixture.uploads.putRange(capability, {}, body("helloworld"));
    const modes: [string, string][] = [];
    for (const path of await list(fixture.parent)) {
      const { isFile, mode } = await Deno.lstat(`${fixture.parent}/${path}`);
      modes.push([isFile ? "file" : "directory", (mode! & 0o777).toString(8)]);
    }
    assertEquals(modes.filter(([type]) => type === "file"), Array(3).fill(["file", "600"]));
    assertEquals(modes.filter(([type]) => type === "directory"), Array(3).fill(["directory", "700"]));
  } finally {
    Deno.umask(umask);
  }
});

Deno.test("a leftover from before the clock was set back is removed", async () => {
  const parent = await Deno.makeTempDir();
  try {
    const leftover = `${parent}/kb-mcp-uploads-old`;
    await Deno.mkdir(leftover);
    await Deno.writeTextFile(`${leftover}/lock`, "");
    const future = new Date(Date.now() + 365 * 86_400_000);
    await Deno.utime(`${leftover}/lock`, future, future);
    await using staging = await StagingDirectory.open(parent, silentLogger);
    await staging.leftoversRemoved;
    await assertRejects(() => Deno.stat(leftover), Deno.errors.NotFound);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});
