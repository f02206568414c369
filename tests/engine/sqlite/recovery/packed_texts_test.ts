import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  backup,
  checkData,
  repair,
  restoreBackup,
  vacuum,
} from "../../../../src/engine/sqlite/recovery/mod.ts";
import {
  type DataDir,
  getDocument,
  openForReading,
  openForWriting,
  readSymbols,
  timestamp,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { prose } from "../text_packing/prose.ts";
import { fileTexts, packedCount, packedStore } from "../store/packed_store.ts";
import { checkIntegrity, draft, TestStore } from "../store/test_store.ts";

const PAGE = 4096;

/** Returns the data directory of a store with packed files, whose database is closed and has no log. */
async function closedStore(files: number): Promise<DataDir & AsyncDisposable> {
  const store = await packedStore(files);
  store.recordCommit();
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  store.db.close();
  return { ...store.dir, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

function stateOfTexts(dir: DataDir) {
  const part = checkData(dir.path).parts.find(({ name }) => name === "texts");
  return [part?.state, part?.message];
}

function textsOf(db: DatabaseSync, id: number): string[] | undefined {
  return getDocument(db, id)?.chunks?.map(({ text }) => text);
}

/** Overwrites pages of a table. */
async function overwrite(dir: DataDir, table: string, isChosen: (index: number) => boolean): Promise<void> {
  let pages: number[];
  {
    using db = new DatabaseSync(dir.database, { readOnly: true });
    pages = db.prepare("SELECT pageno FROM dbstat WHERE name = ? ORDER BY path").all(table)
      .map(({ pageno }) => Number(pageno));
  }
  const bytes = await Deno.readFile(dir.database);
  for (const [index, page] of pages.entries()) {
    if (isChosen(index)) bytes.fill(0xa5, (page - 1) * PAGE, page * PAGE);
  }
  await Deno.writeFile(dir.database, bytes);
}

Deno.test("check reads packed texts, and both copies of the symbols", async () => {
  const cases: [sql: string, state: string, message: RegExp][] = [
    ["SELECT 1", "ok", /^12 of 13 are packed$/],
    [
      "UPDATE chunks SET text = zeroblob(100) WHERE id = 3",
      "damaged",
      /^1 of 12 packed texts cannot be read/,
    ],
    ["UPDATE chunks SET text = 7 WHERE id = 3", "damaged", /^1 of 12 packed texts/],
    ["DELETE FROM text_symbols; DELETE FROM text_symbols_copy", "damaged", /^12 of 12 packed texts/],
    [
      "UPDATE text_symbols SET checksum = 1 WHERE id = 2",
      "damaged",
      /^no text is lost, .* in text_symbols are/,
    ],
    [
      "UPDATE text_symbols_copy SET last_chunk = 1152921504606846976 WHERE id = 2",
      "damaged",
      /^no text is lost, .* in text_symbols_copy are/,
    ],
    ["DELETE FROM text_symbols_copy", "damaged", /^no text is lost, .* in text_symbols_copy are/],
  ];
  for (const [sql, state, message] of cases) {
    await using dir = await closedStore(4);
    {
      using db = new DatabaseSync(dir.database);
      db.exec(sql);
    }
    const [found, text = ""] = stateOfTexts(dir);
    assertEquals(found, state, sql);
    assert(message.test(text), text);
  }
});

Deno.test("check accepts symbols whose second copy is not written yet", async () => {
  await using store = await packedStore(0);
  store.db.exec("DELETE FROM text_symbols_copy");
  assertEquals(stateOfTexts(store.dir), ["ok", "0 of 1 are packed"]);
});

Deno.test("repair unpacks the texts of a database that is not damaged", async () => {
  await using dir = await closedStore(4);
  const { lost, incomplete, rows } = await repair(dir.path);
  assertEquals([lost, incomplete, rows["chunks"]], [[], [], 13]);
  using db = openForWriting(dir, timestamp);
  checkIntegrity(db);
  assertEquals([packedCount(db), readSymbols(db), textsOf(db, 3)], [0, undefined, fileTexts(1)]);
});

Deno.test("repair joins what is left of both copies of the symbols", async () => {
  await using dir = await closedStore(4);
  // Page 0 is the root, without which SQLite finds no row.
  await overwrite(dir, "text_symbols", (index) => index % 2 === 0);
  await overwrite(dir, "text_symbols_copy", (index) => index % 2 === 1 || index === 0);
  const { lost, incomplete, rows } = await repair(dir.path);
  assertEquals([lost, incomplete, rows["chunks"]], [[], [], 13]);
  using db = openForReading(dir);
  assertEquals([2, 3, 4, 5].map((id) => textsOf(db, id)), [0, 1, 2, 3].map(fileTexts));
});

Deno.test("repair finds packed texts and symbols without the schema", async () => {
  await using dir = await closedStore(4);
  const bytes = await Deno.readFile(dir.database);
  bytes.fill(0, 0, PAGE);
  await Deno.writeFile(dir.database, bytes);
  const { lost, incomplete } = await repair(dir.path);
  assertEquals([lost, incomplete], [[], []]);
  using db = openForReading(dir);
  assertEquals(textsOf(db, 5), fileTexts(3));
});

Deno.test("repair drops chunks whose text cannot be read, and names their documents", async () => {
  await using dir = await closedStore(4);
  {
    using db = new DatabaseSync(dir.database);
    db.exec("UPDATE chunks SET text = zeroblob(200) WHERE id = 3 OR document_id = 4");
  }
  const { lost, incomplete } = await repair(dir.path);
  assertEquals([lost.map(({ id }) => id), incomplete.map(({ id }) => id)], [[4], [2]]);
  using db = openForReading(dir);
  assertEquals(textsOf(db, 2), [fileTexts(0)[0], fileTexts(0)[2]]);
  assertEquals(textsOf(db, 5), fileTexts(3));
  assertEquals(stateOfTexts(dir)[0], "ok");
});

Deno.test("backups of packed texts can be restored", async () => {
  await using dir = await closedStore(2);
  await using folder = await temporaryFolder();
  await backup(dir.path, `${folder.path}/kb-backup.db`);
  await restoreBackup(`${folder.path}/restored`, `${folder.path}/kb-backup.db`);
  using db = new DatabaseSync(`${folder.path}/restored/kb.db`, { readOnly: true });
  assertEquals(textsOf(db, 2), fileTexts(0));
});

/** Returns a store of 150 files of four chunks each. */
async function largeStore(): Promise<TestStore> {
  const store = await TestStore.open();
  for (let n = 0; n < 150; n++) store.addFile(`f${n}`, {}, { chunks: largeTexts(n).map(draft) });
  store.recordCommit();
  return store;
}

function largeTexts(n: number): string[] {
  const random = seededRandom(n);
  return Array.from({ length: 4 }, () => `${prose(random)} mark${n}z`);
}

Deno.test("vacuum learns symbols, and packs all texts", async () => {
  await using store = await largeStore();
  store.db.close();
  const { before, after } = await vacuum(store.dir.path);
  assert(after < before);
  using db = openForWriting(store.dir, timestamp);
  checkIntegrity(db);
  const symbols = readSymbols(db)!;
  assertEquals([packedCount(db), symbols.isComplete, symbols.incomplete], [600, true, []]);
  for (let n = 0; n < 150; n += 7) assertEquals(textsOf(db, n + 1), largeTexts(n));
  assertEquals(stateOfTexts(store.dir), ["ok", "600 of 600 are packed"]);
  const pages = db.prepare(
    "SELECT name, min(pageno) AS first, max(pageno) AS last FROM dbstat WHERE name LIKE 'text_symbols%' AND pagetype = 'leaf' GROUP BY name ORDER BY first",
  ).all().map(({ first, last }) => [Number(first), Number(last)] as const);
  // Far enough that one damaged region of the disk has not both.
  assert(pages[1]![0] - pages[0]![1] > 32, JSON.stringify(pages));
});

Deno.test("vacuum learns the symbols of packed texts again", async () => {
  await using store = await largeStore();
  store.db.close();
  await vacuum(store.dir.path);
  const idOf = () => {
    using db = openForReading(store.dir);
    return readSymbols(db)?.table.id;
  };
  const first = idOf();
  {
    using db = openForWriting(store.dir, timestamp);
    db.exec(`
      DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE document_id % 10 = 0);
      DELETE FROM chunks WHERE document_id % 10 = 0; DELETE FROM documents WHERE id % 10 = 0`);
  }
  await vacuum(store.dir.path);
  assert(idOf() !== first);
  using db = openForWriting(store.dir, timestamp);
  checkIntegrity(db);
  assertEquals([packedCount(db), textsOf(db, 151 - 2)], [540, largeTexts(148)]);
});

Deno.test("vacuum stores the texts of a small store as they are", async () => {
  await using dir = await closedStore(4);
  await vacuum(dir.path);
  using db = openForReading(dir);
  assertEquals([packedCount(db), readSymbols(db), textsOf(db, 2)], [0, undefined, fileTexts(0)]);
});

Deno.test("vacuum of a damaged packed text changes nothing", async () => {
  await using dir = await closedStore(4);
  {
    using db = new DatabaseSync(dir.database);
    db.exec("UPDATE chunks SET text = zeroblob(200) WHERE id = 3; PRAGMA journal_mode = DELETE");
  }
  const before = await Deno.readFile(dir.database);
  const error = await vacuum(dir.path).then(() => "none", ({ message }) => message);
  assert(/kb\.db is damaged/.test(error), error);
  assertEquals(await Deno.readFile(dir.database), before);
});
