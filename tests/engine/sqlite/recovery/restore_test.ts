import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { backup, restoreBackup } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { checkDatabase } from "../../../../src/engine/sqlite/store/check.ts";
import {
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  lockDataDir,
} from "../../../../src/engine/sqlite/store/data_dir.ts";
import { createDatabase, openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { timestamp } from "../../../../src/engine/sqlite/store/sql.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkIntegrity, killedStore, namesIn, TestStore } from "../store/test_store.ts";

/** Opens the data as a server does. Returns the number of documents. */
function documents(dir: DataDir): number {
  checkDatabase(dir);
  using db = openForWriting(dir, timestamp);
  checkIntegrity(db);
  return Number(db.prepare("SELECT count(*) AS n FROM documents").get()?.n);
}

for (const name of ["kb.zst", "kb.db.gz", "kb.db"]) {
  Deno.test(`a backup named ${name} is restored into a new data directory`, async () => {
    await using from = await killedStore(3);
    await using folder = await temporaryFolder();
    const file = `${folder.path}/${name}`;
    const { bytes } = await backup(from.path, file);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    assertEquals(namesIn(folder.path), [name]);
    const plain = `${folder.path}/plain.db`;
    await backup(from.path, plain);
    assertEquals(bytes < (await Deno.stat(plain)).size / 2, name !== "kb.db");

    const dir = dataDirAt(`${folder.path}/data`);
    const result = await restoreBackup(dir.path, file);
    assertEquals(result, { documents: 3, jobsWithoutFiles: 0, folders: [], kept: [] });
    assertEquals(documents(dir), 3);
  });
}

Deno.test("data is replaced only on request, and kept with its queued files", async () => {
  await using from = await killedStore(3);
  await using dir = await killedStore(5);
  const file = `${from.path}/kb.zst`;
  await backup(from.path, file);
  await Deno.mkdir(dir.spool, { recursive: true });
  await Deno.writeTextFile(`${dir.spool}/queued`, "bytes");
  const before = namesIn(dir.path);
  await assertRejects(() => restoreBackup(dir.path, file), DataDirError, "it has data. With --replace");
  const { kept } = await restoreBackup(dir.path, file, { replace: true });
  assertEquals(documents(dir), 3);

  const [spool = "", database = ""] = kept;
  assertEquals(await Deno.readTextFile(`${dir.path}/${spool}/queued`), "bytes");
  // The log was applied before.
  using former = new DatabaseSync(`${dir.path}/${database}`, { readOnly: true });
  assertEquals(former.prepare("SELECT count(*) AS n FROM documents").get()?.n, 5);
  assert(before.includes("kb.db-wal"));
});

Deno.test("a restore that ends before or after its rename leaves the old or the new data", async () => {
  await using from = await killedStore(3);
  const file = `${from.path}/kb.zst`;
  await backup(from.path, file);
  for (const [end, expected] of [["before", 5], ["after", 3]] as const) {
    await using dir = await killedStore(5);
    {
      using _failing = failRename(end);
      const restore = () => restoreBackup(dir.path, file, { replace: true });
      await assertRejects(restore, Error, "power failure");
    }
    assertEquals(documents(dir), expected);
  }
});

/** Lets renames fail before or after they are done. */
function failRename(end: "before" | "after"): Disposable {
  const { renameSync } = Deno;
  Deno.renameSync = (...paths) => {
    if (end === "after") renameSync(...paths);
    throw new Error("power failure");
  };
  return { [Symbol.dispose]: () => void (Deno.renameSync = renameSync) };
}

Deno.test("damaged data is replaced, and kept with its log", async () => {
  await using from = await killedStore(3);
  await using dir = await killedStore(5);
  const file = `${from.path}/kb.zst`;
  await backup(from.path, file);
  const bytes = await Deno.readFile(dir.database);
  await Deno.writeFile(dir.database, bytes.fill(0x5a, 0, 8192));
  await Deno.truncate(`${dir.database}-wal`, 5000);
  const { kept } = await restoreBackup(dir.path, file, { replace: true });
  assertEquals(documents(dir), 3);
  assertEquals(await Deno.readFile(`${dir.path}/${kept[0]}`), bytes);
});

Deno.test("a damaged backup and another file are refused, and nothing changes", async () => {
  await using from = await killedStore(30);
  await using dir = await killedStore(5);
  for (const name of ["copy.zst", "copy.gz", "copy.db"]) {
    const file = `${from.path}/${name}`;
    await backup(from.path, file);
    const bytes = await Deno.readFile(file);
    await Deno.writeFile(file, bytes.subarray(0, bytes.length / 2));
    const restore = () => restoreBackup(dir.path, file, { replace: true });
    await assertRejects(restore, DataDamagedError, "the backup is damaged. Nothing was changed");
    await Deno.writeFile(file, bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 5000));
    await assertRejects(restore, DataDamagedError, "the backup is damaged");
  }
  const other = `${from.path}/kb.commit`;
  await assertRejects(
    () => restoreBackup(dir.path, other, { replace: true }),
    DataDirError,
    "is not a backup",
  );
  assertEquals(documents(dir), 5);
  assertEquals(namesIn(dir.path).filter((name) => /restored|replaced/.test(name)), []);
});

Deno.test({
  name: "a named pipe is refused as a backup at once, and nothing waits for its writer",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await temporaryFolder();
    const pipe = `${folder.path}/kb.zst`;
    const { success } = await new Deno.Command("mkfifo", { args: [pipe] }).output();
    assert(success);
    // Something to read that looks like a backup, twice: a program that reads it fails in place of waiting.
    const write = 'printf "SQLite format 3\\000" > "$0"';
    const writer = new Deno.Command("sh", { args: ["-c", `${write}; ${write}`, pipe] }).spawn();
    await assertRejects(
      () => restoreBackup(`${folder.path}/data`, pipe),
      DataDirError,
      "is not a backup: it must be a file",
    );
    assertEquals(namesIn(folder.path), ["kb.zst"]);
    // It still waits for a reader.
    writer.kill();
    assertEquals((await writer.status).signal, "SIGTERM");
  },
});

Deno.test("a backup with triggers or files outside of the spool directory is refused, and folders are named", async () => {
  await using from = await killedStore(1);
  await using folder = await temporaryFolder();
  const dir = dataDirAt(`${folder.path}/data`);
  const restore = async (name: string, sql: string) => {
    const file = `${folder.path}/${name}.db`;
    await backup(from.path, file);
    {
      using db = new DatabaseSync(file);
      db.exec(sql);
    }
    return await restoreBackup(dir.path, file);
  };
  const trigger = "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM tags; END";
  await assertRejects(() => restore("trigger", trigger), DataDamagedError, "the backup is damaged");
  const job =
    "INSERT INTO jobs (status, stage, progress, content_hash, size_bytes, tags, created_at, spool_file) " +
    "VALUES ('queued', 'queued', 0, '', 1, '[]', '', '../kb.key')";
  await assertRejects(() => restore("job", job), DataDamagedError, "the backup is damaged");
  const source = "INSERT INTO sources (name, type, location, options, configured, created_at) " +
    "VALUES ('a', 'folder', '/etc', '{}', 0, '')";
  assertEquals((await restore("source", source)).folders, ["/etc"]);
});

Deno.test("a restore counts the missing files of unfinished jobs, not those that were kept for a retry", async () => {
  await using from = await TestStore.open();
  await using folder = await temporaryFolder();
  const ids = ["queued", "running", "failed", "cancelled"].map((name) => {
    const job = { spoolFile: name, contentHash: name, sizeBytes: 1, tags: [] };
    return Number(from.write("createJob", job).job_id);
  });
  from.write("cancelJob", ids[3]!);
  for (const _ of ["queued", "running", "failed"]) from.write("claimFiles");
  from.write("releaseFile", ids[0]!);
  from.write("failJob", ids[2]!, "damaged", "it is broken");
  from.recordCommit();
  const file = `${folder.path}/kb.db`;
  assertEquals((await backup(from.dir.path, file)).queuedFiles, 2);
  assertEquals((await restoreBackup(`${folder.path}/data`, file)).jobsWithoutFiles, 2);
});

Deno.test("a directory in use is refused", async () => {
  await using from = await killedStore(1);
  const file = `${from.path}/kb.zst`;
  await backup(from.path, file);
  using _lock = lockDataDir(from);
  await assertRejects(() => restoreBackup(from.path, file, { replace: true }), DataDirInUseError, "in use");
});

Deno.test("a backup of an older version is migrated at the next start, one of a newer version is refused", async () => {
  await using folder = await temporaryFolder();
  const [old, dir] = [dataDirAt(folder.path), dataDirAt(`${folder.path}/data`)];
  createDatabase(old, MIGRATIONS.slice(0, 5).map(({ name }) => name), timestamp);
  await restoreBackup(dir.path, old.database);
  assertEquals(documents(dir), 0);
  {
    using db = new DatabaseSync(old.database);
    db.exec("INSERT INTO schema_migrations VALUES ('9999_future', '')");
  }
  await assertRejects(
    () => restoreBackup(dir.path, old.database, { replace: true }),
    DataDirError,
    "it has migrations of a newer kb-mcp (9999_future)",
  );
});
