import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { backup } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { checkDatabase } from "../../../../src/engine/sqlite/store/check.ts";
import { DataDamagedError, dataDirAt, DataDirError } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { checkIntegrity, killedStore, namesIn, TestStore } from "../store/test_store.ts";

const now = () => "2026-01-01T00:00:00.000Z";

Deno.test("a backup of a store in use has its documents, and can be restored", async () => {
  await using store = await TestStore.open();
  store.addNote("a note about zebras", { tags: ["animal"] });
  store.recordCommit();
  const file = `${store.dir.path}/kb-backup.db`;
  assertEquals((await backup(store.dir.path, file)).documents, 1);
  if (Deno.build.os !== "windows") assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  assertEquals(namesIn(store.dir.path).filter((name) => name.includes("partial")), []);
  store.addNote("after the backup");

  const restored = dataDirAt(await Deno.makeTempDir());
  await Deno.copyFile(file, restored.database);
  checkDatabase(restored);
  {
    using db = openForWriting(restored, now);
    checkIntegrity(db);
    assertEquals(db.prepare("SELECT title FROM documents").all().map(({ title }) => title), [
      "a note about zebras",
    ]);
    assertEquals(db.prepare("SELECT name FROM tags").all().map(({ name }) => name), ["animal"]);
  }
  await Deno.remove(restored.path, { recursive: true });
});

Deno.test("a backup never replaces a file, and leaves none behind when it fails", async () => {
  await using dir = await killedStore(2);
  const file = `${dir.path}/kb-backup.db`;
  await Deno.writeTextFile(file, "precious");
  await assertRejects(() => backup(dir.path, file), DataDirError, "it exists");
  assertEquals(await Deno.readTextFile(file), "precious");
  await assertRejects(
    () => backup(dir.path, `${dir.path}/missing/kb.db`),
    DataDirError,
    "its directory must exist",
  );
  await Deno.remove(file);

  const before = namesIn(dir.path);
  await Deno.truncate(`${dir.database}-wal`, 40_000);
  await assertRejects(() => backup(dir.path, file), DataDamagedError, "was acknowledged");
  assertEquals(namesIn(dir.path), before);
});

Deno.test("no backup has the name of a file of the store, such as a journal that SQLite would roll back", async () => {
  await using dir = await killedStore(1);
  await Deno.symlink(dir.path, `${dir.path}/link`, { type: "junction" });
  for (const name of ["kb.db", "kb.db-journal", "kb.commit", "lock.db-journal", "reindex.db"]) {
    for (const folder of ["spool/..", "link"]) {
      await assertRejects(
        () => backup(dir.path, `${dir.path}/${folder}/${name}`),
        DataDirError,
        "kb-mcp uses a file of that name. Choose another name",
      );
    }
  }
});

Deno.test("an incomplete backup does not have its name, so that one that was stopped is not taken for a backup", async () => {
  await using dir = await killedStore(2);
  const before = namesIn(dir.path);
  const running = backup(dir.path, `${dir.path}/kb-backup.db`);
  const added = namesIn(dir.path).filter((name) => !before.includes(name));
  await assertRejects(
    () => backup(dir.path, `${dir.path}/kb-backup.db`),
    DataDirError,
    'kb-backup.db.partial": it exists, since a backup runs or was stopped. Choose another name, or remove it',
  );
  await running;
  assertEquals(added, ["kb-backup.db.partial"]);
  assertEquals(namesIn(dir.path).filter((name) => !before.includes(name)), ["kb-backup.db"]);
});

Deno.test("a backup in a folder that does not exist is refused by the name that was given", async () => {
  await using dir = await killedStore(1);
  const file = `${dir.path}/nonexistent/kb.db.zst`;
  await assertRejects(
    () => backup(dir.path, file),
    DataDirError,
    `Cannot write the backup to ${JSON.stringify(file)}: its directory must exist`,
  );
});

Deno.test("no backup has the name of an incomplete one, which another backup would remove or wait for", async () => {
  await using dir = await killedStore(1);
  const before = namesIn(dir.path);
  for (const name of ["kb.partial", "kb.partial.zstd", "kb.PARTIAL.gzip"]) {
    await assertRejects(
      () => backup(dir.path, `${dir.path}/${name}`),
      DataDirError,
      `${name}": incomplete backups have names of this kind. Choose another name`,
    );
  }
  assertEquals(namesIn(dir.path), before);
  await backup(dir.path, `${dir.path}/kb.partial.gz`);
  await backup(dir.path, `${dir.path}/kb`);
  assertEquals(namesIn(dir.path).filter((name) => !before.includes(name)), ["kb", "kb.partial.gz"]);
});

Deno.test("a damaged database has no backup", async () => {
  await using dir = await killedStore(60);
  openForWriting(dir, now).close(); // applies the log
  const bytes = await Deno.readFile(dir.database);
  for (let page = 3; page < bytes.length / 4096; page += 7) {
    const damaged = bytes.slice();
    damaged.fill(0x5a, page * 4096, (page + 1) * 4096);
    await Deno.writeFile(dir.database, damaged);
    const file = `${dir.path}/kb-backup.db`;
    await assertRejects(() => backup(dir.path, file), DataDamagedError, "is damaged");
    assertThrows(() => Deno.statSync(file), Deno.errors.NotFound);
  }
});
