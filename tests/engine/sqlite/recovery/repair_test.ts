import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { checkData, repair } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { checkDatabase } from "../../../../src/engine/sqlite/store/check.ts";
import {
  DataDamagedError,
  type DataDir,
  DataDirError,
  lockDataDir,
} from "../../../../src/engine/sqlite/store/data_dir.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { createDatabase, openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { getDocument } from "../../../../src/engine/sqlite/store/read_documents.ts";
import { seededRandom } from "../../../support/random.ts";
import { checkIntegrity, killedStore, namesIn, TestStore, withoutAnalysis } from "../store/test_store.ts";

const PAGE = 4096;
const now = () => "2026-01-01T00:00:00.000Z";

Deno.test("repair keeps everything of a database that is not damaged, and the old files", async () => {
  await using dir = await killedStore(40);
  const before = contents(dir);
  const { kept, ...report } = await repair(dir.path);
  assertEquals(report, {
    rows: {
      documents: 40,
      chunks: 40,
      tags: 40,
      content_parts: 0,
      contents: 0,
      document_tags: 40,
      jobs: 40,
      embedding_sets: 0,
      chunk_vectors: 0,
      revisions: 0,
      source_files: 0,
      attachments: 0,
      sources: 0,
      note_texts: 0,
      document_usage: 0,
    },
    lost: [],
    incomplete: [],
    untagged: [],
    missingCommits: 0,
    unclaimedFiles: 0,
  });
  checkDatabase(dir);
  assertEquals(contents(dir), before);
  assertEquals(namesIn(dir.path).filter((name) => name.startsWith("kb.repaired")), []);
  assertEquals(kept.map((name) => name.replace(/\d+T\d+Z/, "TIME")), [
    "kb.db.damaged-TIME-wal",
    "kb.db.damaged-TIME-shm",
    "kb.db.damaged-TIME",
  ]);
  using db = openForWriting(dir, now);
  checkIntegrity(db);
  assertEquals(
    db.prepare("SELECT count(*) AS n FROM chunks_fts WHERE chunks_fts MATCH 'something'").get()?.n,
    40,
  );
});

Deno.test("repair accepts missing commits, and the next start has no complaint", async () => {
  await using dir = await killedStore(30);
  using log = await Deno.open(`${dir.database}-wal`, { write: true });
  const { size } = await log.stat();
  await log.seek(Math.floor(size / 2), Deno.SeekMode.Start);
  await log.write(new Uint8Array(100).fill(0xff));
  const damagedLog = await Deno.readFile(`${dir.database}-wal`);
  const { missingCommits, rows, kept } = await repair(dir.path);
  assert(missingCommits !== undefined && missingCommits > 0 && missingCommits < 30);
  assertEquals(rows["documents"], 30 - missingCommits);
  checkDatabase(dir);
  assertEquals(await Deno.readFile(`${dir.path}/${kept[0]}`), damagedLog);
});

Deno.test("repair recovers the rows around overwritten pages, and says which documents it lost", async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = seededRandom(seed);
    await using dir = await checkpointedStore(60);
    const titles = new Map(contents(dir)[0]!.map(({ id, title }) => [id, title]));
    const pages = (await Deno.stat(dir.database)).size / PAGE;
    const chunks = chunksByPage(dir);
    const bytes = await Deno.readFile(dir.database);
    for (let n = 0; n < 3; n++) {
      const page = random.int(pages);
      chunks.delete(page + 1);
      bytes.subarray(page * PAGE, (page + 1) * PAGE).forEach((_, at, all) => all[at] = random.int(256));
    }
    await Deno.writeFile(dir.database, bytes);
    const { rows, lost, incomplete, kept } = await repair(dir.path);
    assertEquals(
      await Deno.readFile(`${dir.path}/${kept.at(-1)}`),
      bytes,
      "the damaged file is kept as it is",
    );
    checkDatabase(dir);
    using db = openForWriting(dir, now);
    checkIntegrity(db);
    assertEquals(rows["documents"], [...chunks.values()].reduce((sum, n) => sum + n), `seed ${seed}`);
    for (const { id, title } of lost) if (title !== null) assertEquals(title, titles.get(id));
    const reported = new Set(incomplete.map(({ id }) => id));
    for (const { id } of contents(dir)[0]!) {
      const document = getDocument(db, Number(id));
      if (!reported.has(Number(id))) {
        assertStringIncludes(document!.chunks![0]!.text, `note ${Number(id) - 1} `);
      }
    }
  }
});

Deno.test("repair recovers the documents of a database without header and schema, from the log too", async () => {
  for (const makeStore of [checkpointedStore, killedStore]) {
    await using dir = await makeStore(60);
    const before = contents(dir);
    const bytes = await Deno.readFile(dir.database);
    bytes.fill(0, 0, PAGE);
    await Deno.writeFile(dir.database, bytes);
    const { rows, lost, incomplete } = await repair(dir.path);
    assertEquals([rows["documents"], rows["tags"], lost, incomplete], [60, 60, [], []]);
    assertEquals(contents(dir).slice(0, 4), before.slice(0, 4));
  }
});

Deno.test("repair recovers text in overflow pages without the schema, and drops it if one of them is damaged", async () => {
  for (const isDamaged of [false, true]) {
    await using store = await TestStore.open();
    store.addNote("short");
    const text = "long ".repeat(20_000);
    const id = store.addFile(text).document_id;
    store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const overflow = store.db.prepare(
      "SELECT pageno FROM dbstat WHERE name = 'chunks' AND pagetype = 'overflow' LIMIT 1 OFFSET 3",
    );
    const page = Number(overflow.get()?.pageno);
    store.db.close();
    const bytes = await Deno.readFile(store.dir.database);
    bytes.fill(0, 0, PAGE);
    if (isDamaged) bytes.fill(0xff, (page - 1) * PAGE, page * PAGE);
    await Deno.writeFile(store.dir.database, bytes);
    const { lost } = await repair(store.dir.path);
    using db = openForWriting(store.dir, now);
    assertEquals(lost.map((document) => document.id), isDamaged ? [id] : []);
    assertEquals(getDocument(db, Number(id))?.chunks?.[0]?.text, isDamaged ? undefined : text);
  }
});

Deno.test("repair builds the full-text index again with the Unicode version of this runtime", async () => {
  await using store = await TestStore.open();
  store.addNote("a note about zebras");
  store.recordCommit();
  store.db.exec("UPDATE search_text_unicode SET version = '9.0'; PRAGMA wal_checkpoint(TRUNCATE)");
  store.db.close();
  await repair(store.dir.path);
  assertEquals(checkData(store.dir.path).parts.find(({ name }) => name === "full text")?.state, "ok");
});

Deno.test("repair restores tags from the index of their names", async () => {
  await using dir = await checkpointedStore(40);
  const before = contents(dir);
  await overwrite(dir, "tags");
  const { untagged } = await repair(dir.path);
  assertEquals(untagged, []);
  assertEquals(contents(dir), before);
});

Deno.test("repair names the documents that lost tags", async () => {
  await using store = await TestStore.open();
  store.addNote("without tags");
  const { document_id } = store.addNote("with a tag", { title: "Tagged", tags: ["collection:memory"] });
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  store.db.close();
  await overwrite(store.dir, "tags", "sqlite_autoindex_tags_1");
  const { rows, untagged } = await repair(store.dir.path);
  assertEquals([rows["documents"], rows["tags"], rows["document_tags"]], [2, 0, 0]);
  assertEquals(untagged, [{ id: Number(document_id), title: "Tagged", sourcePath: null }]);
});

Deno.test("repair reports that the tags of no document could be read", async () => {
  await using dir = await checkpointedStore(5);
  await overwrite(dir, "document_tags", "document_tags_by_tag");
  const { rows, untagged } = await repair(dir.path);
  assertEquals([rows["documents"], rows["document_tags"], untagged], [5, 0, undefined]);
});

Deno.test("repair does not count missing commits if their number in the database is damaged", async () => {
  await using dir = await checkpointedStore(5);
  await overwrite(dir, "last_commit");
  const { rows, missingCommits } = await repair(dir.path);
  assertEquals([rows["documents"], missingCommits], [5, undefined]);
  checkDatabase(dir);
});

Deno.test("an incomplete document can be added again, and the id of a lost one is not reused", async () => {
  await using store = await TestStore.open();
  store.addNote("first");
  const { document_id } = store.addNote("second");
  store.db.exec("DELETE FROM chunks WHERE document_id = 2");
  store.db.close();
  const { lost } = await repair(store.dir.path);
  assertEquals(lost, [{ id: Number(document_id), title: "second", sourcePath: null }]);
  const again = TestStore.over(store.dir);
  const job = again.addNote("second");
  assertEquals([job.outcome, job.document_id], ["created", 3]);
  again.db.close();
});

Deno.test("a database of an older version is repaired and migrated", async () => {
  await using store = await killedStore(0);
  await removeFiles(store);
  createDatabase(store, ["v2"], now);
  {
    using db = new DatabaseSync(store.database);
    db.exec(`INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at)
             VALUES ('Old', 'note', 'x', 1, 1, '2025-02-02T00:00:00.000Z');
             INSERT INTO chunks (document_id, position, text, heading_path, search_heading) VALUES (1, 0, 'zebra', '[]', '')`);
  }
  await repair(store.path);
  using db = openForWriting(store, now);
  assertEquals(db.prepare("SELECT count(*) AS n FROM schema_migrations").get()?.n, MIGRATIONS.length);
  assertEquals(db.prepare("SELECT rowid AS id FROM chunks_fts WHERE chunks_fts MATCH 'zebra'").get()?.id, 1);
});

Deno.test("repair changes nothing when nothing can be read, or while a server runs", async () => {
  await using dir = await killedStore(3);
  {
    using _lock = lockDataDir(dir);
    await assertRejects(() => repair(dir.path), DataDirError, "in use");
  }
  {
    using _lock = lockDataDir({ ...dir, lock: dir.reindexLock });
    await assertRejects(() => repair(dir.path), DataDirError, "in use");
  }
  for (const bytes of [new Uint8Array(), crypto.getRandomValues(new Uint8Array(2 * PAGE))]) {
    await removeFiles(dir);
    await Deno.writeFile(dir.database, bytes);
    await assertRejects(() => repair(dir.path), DataDamagedError, "nothing in it can be read");
    assertEquals(namesIn(dir.path), [
      "kb.commit",
      "kb.db",
      "lock.db",
      "reindex.db",
      "spool",
    ]);
    assertEquals(await Deno.readFile(dir.database), bytes);
  }
});

Deno.test("queued files without a job are kept out of the spool, where the next start would remove them", async () => {
  await using dir = await killedStore(1);
  await Deno.writeTextFile(`${dir.spool}/unclaimed`, "bytes");
  const { unclaimedFiles } = await repair(dir.path);
  assertEquals(unclaimedFiles, 1);
  const kept = namesIn(dir.path).find((name) => name.startsWith("spool.damaged-"));
  assertEquals(await Deno.readTextFile(`${dir.path}/${kept}/unclaimed`), "bytes");
});

/** A store whose log was applied to the database. */
async function checkpointedStore(notes: number) {
  const dir = await killedStore(notes);
  using db = new DatabaseSync(dir.database);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return dir;
}

/** Overwrites the root pages of tables and indexes. */
async function overwrite(dir: DataDir, ...names: string[]): Promise<void> {
  using db = new DatabaseSync(dir.database, { readOnly: true });
  const bytes = await Deno.readFile(dir.database);
  for (const name of names) {
    const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage);
    bytes.fill(0xff, (root - 1) * PAGE, root * PAGE);
  }
  await Deno.writeFile(dir.database, bytes);
}

/** Returns the numbers of chunks by page. Each document has one chunk. */
function chunksByPage(dir: DataDir): Map<number, number> {
  using db = new DatabaseSync(dir.database, { readOnly: true });
  const pages = db.prepare("SELECT pageno, ncell FROM dbstat WHERE name = 'chunks' AND pagetype = 'leaf'")
    .all();
  return new Map(pages.map(({ pageno, ncell }) => [Number(pageno), Number(ncell)]));
}

async function removeFiles(dir: DataDir): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) await Deno.remove(dir.database + suffix).catch(() => {});
}

/** Returns the rows of the tables that are not derived. */
function contents(dir: DataDir): Record<string, unknown>[][] {
  using db = new DatabaseSync(dir.database, { readOnly: true });
  const tables = ["documents", "chunks", "jobs", "tags", "document_tags", "embedding_sets", "chunk_vectors"];
  return tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all().map(withoutAnalysis));
}

Deno.test("repair writes to a new directory on request, and changes nothing in the damaged one", async () => {
  await using dir = await killedStore(3);
  const into = `${dir.path}/recovered`;
  const before = await Deno.readFile(`${dir.database}-wal`);
  assertEquals((await repair(dir.path, { into })).rows["documents"], 3);
  assertEquals(await Deno.readFile(`${dir.database}-wal`), before);
  await assertRejects(() => repair(dir.path, { into }), DataDirError, "Choose a new directory");
});
