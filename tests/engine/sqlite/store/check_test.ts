import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { checkDatabase } from "../../../../src/engine/sqlite/store/check.ts";
import { CommitMarker, lastCommit } from "../../../../src/engine/sqlite/store/commit_marker.ts";
import { DataDamagedError, DataDirError } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { commitGroup } from "../../../../src/engine/sqlite/writer/commit_group.ts";
import { killedStore, sha256, TestStore } from "./test_store.ts";

const WAL_HEADER = 32;
const FRAME = 24 + 4096;

Deno.test("a store that was killed passes the check with every acknowledged commit", async () => {
  await using dir = await killedStore(30);
  checkDatabase(dir);
  using db = openForReading(dir);
  assertEquals([lastCommit(db), CommitMarker.read(dir.marker)?.commit], [30, 30]);
});

Deno.test("a write-ahead log that was damaged, shortened or removed is refused, and nothing is changed", async () => {
  for (const damage of [damageFrame, shorten, (path: string) => Deno.removeSync(path)]) {
    await using dir = await killedStore(30);
    damage(`${dir.database}-wal`);
    const before = [await Deno.readFile(dir.database), read(`${dir.database}-wal`)];
    const { message } = assertThrows(() => checkDatabase(dir), DataDamagedError);
    assertStringIncludes(message, "but commit 30 was acknowledged");
    assertStringIncludes(message, "kb-mcp repair");
    assertEquals(message.includes("\n"), false);
    assertEquals([await Deno.readFile(dir.database), read(`${dir.database}-wal`)], before);
  }
});

Deno.test("an empty or missing database is refused where one existed, and accepted in a new directory", async () => {
  await using dir = await killedStore(1);
  await Deno.truncate(dir.database, 0);
  assertStringIncludes(assertThrows(() => checkDatabase(dir), DataDamagedError).message, "it is empty");
  await Deno.remove(dir.database);
  assertStringIncludes(assertThrows(() => checkDatabase(dir), DataDamagedError).message, "it is missing");
  await Deno.remove(dir.marker);
  const { message } = assertThrows(() => checkDatabase(dir), DataDamagedError);
  assertStringIncludes(message, "remove kb.commit and kb.db-wal");
  await Deno.remove(`${dir.database}-wal`);
  checkDatabase(dir);
  await Deno.writeFile(dir.database, new Uint8Array());
  checkDatabase(dir);
});

Deno.test("a database of another program is refused where ours existed, and left to the opening elsewhere", async () => {
  await using dir = await killedStore(1);
  for (const suffix of ["", "-wal", "-shm"]) await Deno.remove(dir.database + suffix);
  const foreign = new DatabaseSync(dir.database);
  foreign.exec("CREATE TABLE bookmarks (url)");
  foreign.close();
  const { message } = assertThrows(() => checkDatabase(dir), DataDamagedError);
  assertStringIncludes(message, "it was made by another program");
  await Deno.remove(dir.marker);
  checkDatabase(dir);
});

Deno.test("an older backup is refused next to a newer marker, and accepted without it", async () => {
  await using store = await TestStore.open();
  store.addNote("in the backup");
  const backup = `${store.dir.path}/backup.db`;
  store.db.exec(`VACUUM INTO '${backup}'`);
  store.addNote("after the backup");
  store.recordCommit();
  await using restored = await killedStore(0);
  for (const suffix of ["-wal", "-shm"]) await Deno.remove(restored.database + suffix);
  await Deno.copyFile(backup, restored.database);
  checkDatabase(restored);
  await Deno.copyFile(store.dir.marker, restored.marker);
  assertThrows(
    () => checkDatabase(restored),
    DataDamagedError,
    "ends at commit 2, but commit 4 was acknowledged",
  );
});

Deno.test("overwritten pages are refused in every table, unless the file is as it was closed", async () => {
  await using dir = await closedStore();
  const { size } = await Deno.stat(dir.database);
  const original = await Deno.readFile(dir.database);
  let refused = 0;
  for (let page = 1; page < size / 4096; page++) {
    const bytes = original.slice();
    bytes.fill(0xa5, page * 4096, (page + 1) * 4096);
    await Deno.writeFile(dir.database, bytes);
    try {
      checkDatabase(dir);
    } catch (error) {
      if (!(error instanceof DataDamagedError)) throw error;
      refused++;
    }
  }
  assertEquals(refused, size / 4096 - 1);
  await Deno.writeFile(dir.database, original);
  checkDatabase(dir);
});

Deno.test("the large tables of a file that is as it was closed are not read", async () => {
  await using dir = await closedStore();
  using marker = CommitMarker.open(dir.marker);
  const { size, mtime } = await Deno.stat(dir.database);
  damageTable(dir.database, "chunks");
  await Deno.utime(dir.database, mtime!, mtime!);
  assertThrows(() => checkDatabase(dir), DataDamagedError, "its table chunks is malformed");
  marker.write({ commit: 0, closed: { size, mtime: mtime!.getTime() } });
  checkDatabase(dir);
  damageTable(dir.database, "tags");
  await Deno.utime(dir.database, mtime!, mtime!);
  assertThrows(() => checkDatabase(dir), DataDamagedError, "its table tags is malformed");
});

Deno.test("a marker with unreadable content shows only that a database existed", async () => {
  await using dir = await killedStore(3);
  for (const content of ["", "kb-mcp commit 99", "\0".repeat(67)]) {
    await Deno.writeTextFile(dir.marker, content);
    checkDatabase(dir);
    assertEquals(CommitMarker.read(dir.marker), { commit: 0, closed: undefined });
  }
});

Deno.test("a commit is recorded after it is on disk, and a failed commit is not", async () => {
  await using store = await TestStore.open();
  const recorded: number[] = [];
  const job = { text: "note", contentHash: sha256("note"), sizeBytes: 4, tags: [] };
  const commit = () =>
    commitGroup(store.db, store.operations, [{ operation: "createJob", args: [job] }], (number) => {
      assertEquals(store.db.isTransaction, false);
      recorded.push(number);
    });
  commit();
  store.db.exec("PRAGMA max_page_count = 1");
  commit();
  store.db.exec("PRAGMA max_page_count = 1000000; BEGIN; ROLLBACK");
  commit();
  assertEquals(recorded.at(0), 1);
  assertEquals(recorded.at(-1), lastCommit(store.db));
});

/** A store with some notes and tags whose log was applied to the database. */
async function closedStore() {
  const dir = await killedStore(20);
  using db = new DatabaseSync(dir.database);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return dir;
}

/** Overwrites the first page of a table. */
function damageTable(database: string, table: string): void {
  using db = new DatabaseSync(database, { readOnly: true });
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.rootpage);
  using file = Deno.openSync(database, { write: true });
  file.seekSync((root - 1) * 4096, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(4096).fill(0xa5));
}

function damageFrame(wal: string): void {
  using file = Deno.openSync(wal, { write: true });
  const frames = (Deno.statSync(wal).size - WAL_HEADER) / FRAME;
  file.seekSync(WAL_HEADER + Math.floor(frames / 2) * FRAME + 100, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(64).fill(0xff));
}

function shorten(wal: string): void {
  Deno.truncateSync(wal, Math.floor(Deno.statSync(wal).size / 2));
}

/** Returns the content of a file; empty if it does not exist, as SQLite treats both the same. */
function read(path: string): Uint8Array {
  try {
    return Deno.readFileSync(path);
  } catch {
    return new Uint8Array();
  }
}

Deno.test("a database whose first start was killed is rolled back by the next one", async () => {
  await using store = await TestStore.open();
  await using killed = await killedStore(0);
  // A rollback journal of a transaction that is larger than the cache.
  using db = new DatabaseSync(`${store.dir.path}/new.db`);
  db.exec("PRAGMA cache_size = 1; CREATE TABLE a (x); BEGIN; INSERT INTO a VALUES (zeroblob(100000))");
  await Deno.remove(killed.marker);
  for (const suffix of ["-wal", "-shm"]) await Deno.remove(killed.database + suffix);
  for (const suffix of ["", "-journal"]) {
    await Deno.copyFile(`${store.dir.path}/new.db${suffix}`, killed.database + suffix);
  }
  assertThrows(() => openForReading(killed), DataDirError, "read-only");
  checkDatabase(killed);
  using reopened = new DatabaseSync(killed.database);
  assertEquals(reopened.prepare("SELECT count(*) AS n FROM a").get()?.n, 0);
});
