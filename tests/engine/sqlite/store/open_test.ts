import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  createDataDir,
  dataDirAt,
  DataDirError,
  lockDataDir,
  restrictAccess,
} from "../../../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import {
  claimEmbeddingSet,
  getDocument,
  getJob,
  listDocuments,
  storeVectors,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { storageFault } from "../../../../src/engine/sqlite/store/storage_errors.ts";
import { createDatabase, openForWriting, type Upgrade } from "../../../../src/engine/sqlite/store/open.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { EmbeddedEngine } from "../../../support/embedded_engine.ts";
import { checkIntegrity, killedStore, namesIn, sha256, TestStore } from "./test_store.ts";

const now = () => "2026-01-01T00:00:00.000Z";

async function tempDir() {
  const path = await Deno.makeTempDir();
  return { ...dataDirAt(path), [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("a data directory is created for its owner only", async () => {
  await using temp = await tempDir();
  const dir = await createDataDir(`${temp.path}/deep/er`);
  openForWriting(dir, now).close();
  if (Deno.build.os !== "windows") {
    assertEquals((await Deno.stat(dir.path)).mode! & 0o777, 0o700);
    assertEquals((await Deno.stat(dir.spool)).mode! & 0o777, 0o700);
  }
});

Deno.test({
  name: "every file of a directory that others can read is made accessible to its owner only",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const temp = dataDirAt(await Deno.makeTempDir()); // removed by the engine
    await Deno.chmod(temp.path, 0o755);
    await using engine = await EmbeddedEngine.over(temp.path);
    await engine.ingest({ text: "secret" });
    const modes = () =>
      Object.fromEntries(
        namesIn(temp.path).map((name) => [name, Deno.statSync(`${temp.path}/${name}`).mode! & 0o777]),
      );
    const expected = {
      "kb.commit": 0o600,
      "kb.db": 0o600,
      "kb.db-shm": 0o600,
      "kb.db-wal": 0o600,
      "lock.db": 0o600,
      "spool": 0o700,
    };
    assertEquals(modes(), expected);
    // As an older version created them.
    for (const name of namesIn(temp.path)) await Deno.chmod(`${temp.path}/${name}`, 0o755);
    assertEquals(restrictAccess(temp), {
      tightened: ["kb.db", "kb.db-wal", "kb.db-shm", "kb.commit", "lock.db", "spool"],
      isWritableByOthers: false,
    });
    assertEquals(modes(), expected);
    assertEquals((await Deno.stat(temp.path)).mode! & 0o777, 0o755);
    await Deno.chmod(temp.path, 0o775);
    assertEquals(restrictAccess(temp), { tightened: [], isWritableByOthers: true });
    const file = `${temp.path}/file`;
    await Deno.writeTextFile(file, "");
    await Deno.chmod(file, 0o666);
    const { isWritableByOthers } = restrictAccess(dataDirAt(file));
    assertEquals(isWritableByOthers, false, "a file that is given as a directory is refused, not reported");
  },
});

Deno.test("a file is rejected as data directory", async () => {
  await using temp = await tempDir();
  await Deno.writeTextFile(`${temp.path}/file`, "");
  await assertRejects(
    () => createDataDir(`${temp.path}/file`),
    DataDirError,
    `KB_DATA_DIR must be a writable directory, got "${temp.path}/file": Not a directory`,
  );
});

Deno.test("a lock file that cannot be opened is reported with the reason of the system", async () => {
  await using temp = await tempDir();
  await Deno.mkdir(temp.lock);
  const message = `got ${JSON.stringify(temp.path)}: cannot lock lock.db (Is a directory)`;
  assertThrows(() => lockDataDir(temp), DataDirError, message);
});

Deno.test("a data directory is locked for one holder at a time", async () => {
  await using temp = await tempDir();
  {
    using _held = lockDataDir(temp);
    const error = assertThrows(() => lockDataDir(temp), DataDirError);
    assertEquals(
      error.message,
      `KB_DATA_DIR ${
        JSON.stringify(temp.path)
      } is in use by another kb-mcp process: stop it, or set KB_DATA_DIR to ` +
        "another directory",
    );
  }
  lockDataDir(temp)[Symbol.dispose]();
});

Deno.test("a lock ends with its process, even after SIGKILL", async () => {
  await using temp = await tempDir();
  const module = new URL("../../../../src/engine/sqlite/store/data_dir.ts", import.meta.url).href;
  const code = `import { dataDirAt, lockDataDir } from ${JSON.stringify(module)};
    globalThis.lock = lockDataDir(dataDirAt(${JSON.stringify(temp.path)}));
    await Deno.stdout.write(new Uint8Array(1));
    setInterval(() => {}, 1000);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", `data:text/javascript,${encodeURIComponent(code)}`],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  assertThrows(() => lockDataDir(temp), DataDirError, "in use by another");
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  lockDataDir(temp)[Symbol.dispose]();
});

Deno.test("a new database records every migration, and has the settings of the store", async () => {
  await using store = await TestStore.open();
  assertEquals(
    store.db.prepare("SELECT name FROM schema_migrations ORDER BY rowid").all().map((row) => row.name),
    MIGRATIONS.map(({ name }) => name),
  );
  const pragma = (name: string) => Object.values(store.db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  assertEquals(
    ["journal_mode", "synchronous", "foreign_keys", "secure_delete", "application_id"].map(pragma),
    ["wal", 2, 1, 1, 0x4b424d43],
  );
});

Deno.test("a database of version 2 keeps its documents and their order, without updated_at", async () => {
  await using temp = await tempDir();
  const old = new DatabaseSync(temp.database);
  migrate(old, MIGRATIONS.slice(0, 1), now);
  old.exec(`INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at) VALUES
    ('New', 'note', 'x', 1, 0, '2025-02-02T00:00:00.000Z'), ('Old', 'note', 'y', 1, 0, '2025-01-01T00:00:00.000Z')`);
  old.close();
  for (let i = 0; i < 2; i++) openForWriting(temp, now).close();
  const writer = openForWriting(temp, now);
  const reader = openForReading(temp);
  const { documents } = listDocuments(reader, { limit: 10 });
  assertEquals(documents.map(({ title, updated_at }) => [title, updated_at]), [["New", null], ["Old", null]]);
  reader.close();
  writer.close();
});

Deno.test("a database of contract 3.0 keeps its documents, jobs, tags and vectors, and loses unused tables", async () => {
  await using temp = await tempDir();
  const tables = ["documents", "chunks", "tags", "document_tags", "jobs", "embedding_sets", "chunk_vectors"];
  const contents = (db: DatabaseSync) => tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
  const old = new DatabaseSync(temp.database);
  migrate(old, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === "drop_chunk_words")), now);
  old.exec(`
    INSERT INTO documents (title, doc_type, content_hash, size_bytes, metadata, chunk_count, created_at)
      VALUES ('Zebras', 'note', '${sha256("zebra")}', 5, '{"status":"draft"}', 1, '${now()}');
    INSERT INTO chunks (document_id, position, text, heading_path, search_heading) VALUES (1, 0, 'zebra', '[]', '');
    INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (1, 'Zebras', '', 'zebra');
    INSERT INTO tags (name) VALUES ('a');
    INSERT INTO document_tags VALUES (1, 1);
    INSERT INTO jobs (status, stage, progress, text, content_hash, size_bytes, tags, created_at)
      VALUES ('queued', 'queued', 0, 'zebra', '${sha256("zebra")}', 5, '[]', '${now()}');
  `);
  const set = claimEmbeddingSet(old, { model: "m", documentPrefix: "", dimensions: 2 }, {
    command: "",
    now: now(),
  });
  storeVectors(old, set, [{ chunkId: 1, vector: new Float32Array([1, 0]) }]);
  const before = contents(old);
  old.close();
  const db = openForWriting(temp, now);
  const columns = before.map((rows) => Object.keys(rows[0] ?? {}));
  const after = contents(db).map((rows, table) =>
    rows.map((row) => Object.fromEntries((columns[table] ?? []).map((column) => [column, row[column]])))
  );
  assertEquals(after, before);
  assertEquals(getDocument(db, 1)?.metadata, { status: "draft" });
  assertEquals(db.prepare("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'zebra'").all(), [{
    rowid: 1,
  }]);
  assertEquals(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'chunk_word%'").all(), []);
  db.exec("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)");
  db.close();
});

Deno.test("a database of a newer version is rejected and not changed", async () => {
  await using temp = await tempDir();
  openForWriting(temp, now).close();
  const newer = new DatabaseSync(temp.database);
  newer.exec("INSERT INTO schema_migrations VALUES ('from_the_future', '2099')");
  newer.close();
  const before = await Deno.readFile(temp.database);
  const error = assertThrows(() => openForWriting(temp, now), DataDirError);
  assertStringIncludes(error.message, "newer kb-mcp (from_the_future)");
  assertEquals(await Deno.readFile(temp.database), before);
});

Deno.test("a migration that fails is rolled back", async () => {
  await using temp = await tempDir();
  const db = new DatabaseSync(temp.database);
  const migrations = [{ name: "good", sql: "CREATE TABLE a (x)" }, {
    name: "bad",
    sql: "CREATE TABLE b (x); CREATE TABLE a (x)",
  }];
  assertThrows(() => migrate(db, migrations, now), Error, "already exists");
  assertEquals(db.prepare("SELECT name FROM schema_migrations").all(), [{ name: "good" }]);
  assertEquals(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'b'").all(), []);
  db.close();
});

Deno.test("a migration that fills the disk reports it, though SQLite has already rolled back", async () => {
  await using temp = await tempDir();
  using db = new DatabaseSync(temp.database);
  db.exec("PRAGMA max_page_count = 8");
  const sql = "CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(100000))";
  assertThrows(() => migrate(db, [{ name: "large", sql }], now), Error, "disk is full");
  assertEquals(db.prepare("SELECT name FROM sqlite_schema").all(), []);
});

Deno.test("other files and databases of other programs are rejected and not changed", async () => {
  await using temp = await tempDir();
  const files: [make: () => void, message: string][] = [
    [() => Deno.writeTextFileSync(temp.database, "Dear diary, ".repeat(1000)), "is not a database"],
    [() => execute("CREATE TABLE documents (x)"), "made by another program"],
    [
      () => execute("PRAGMA application_id = 252006673; CREATE TABLE schema_migrations (name)"),
      "another program",
    ],
  ];
  const execute = (sql: string) => {
    const db = new DatabaseSync(temp.database);
    db.exec(sql);
    db.close();
  };
  for (const [make, message] of files) {
    make();
    const before = await Deno.readFile(temp.database);
    assertThrows(() => openForWriting(temp, now), DataDirError, message);
    assertEquals(await Deno.readFile(temp.database), before);
    await Deno.remove(temp.database);
  }
});

Deno.test("the migration of an older database is reported before and after, and nothing else is", async () => {
  await using temp = await tempDir();
  const reported: Upgrade[] = [];
  const onUpgrade = (upgrade: Upgrade) => {
    reported.push(upgrade);
    using db = new DatabaseSync(temp.database);
    const applied = db.prepare("SELECT count(*) AS n FROM schema_migrations").get()?.n;
    assertEquals(applied, MIGRATIONS.length - (upgrade.ms === null ? 1 : 0));
  };
  createDatabase(temp, MIGRATIONS.slice(0, -1).map(({ name }) => name), now);
  openForWriting(temp, now, onUpgrade).close();
  openForWriting(temp, now, onUpgrade).close();
  const names = [MIGRATIONS.at(-1)!.name];
  assertEquals(reported.map(({ steps, ms }) => [steps, ms === null]), [[names, true], [names, false]]);
  await Deno.remove(temp.database);
  openForWriting(temp, now, onUpgrade).close();
  assertEquals(reported.length, 2);
});

Deno.test("data of version 3.0 with 20,000 documents is migrated without rewriting them", async () => {
  await using temp = await tempDir();
  {
    using db = new DatabaseSync(temp.database);
    const isNew = MIGRATIONS.findIndex(({ name }) => name === "revisions");
    migrate(db, MIGRATIONS.slice(0, isNew), now);
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
             INSERT INTO documents (title, doc_type, source_path, content_hash, size_bytes, chunk_count, created_at)
             SELECT 'Note ' || i, 'note', 'notes/' || i, 'x' || i, 1, 1, '2025-02-02T00:00:00.000Z' FROM n;
             INSERT INTO jobs (status, stage, progress, content_hash, size_bytes, tags, created_at)
             SELECT 'done', 'finished', 1, 'x', 1, '[]', created_at FROM documents LIMIT 10000`);
  }
  const { size } = await Deno.stat(temp.database);
  using db = openForWriting(temp, now);
  const log = (await Deno.stat(`${temp.database}-wal`)).size;
  // Four indexes of documents are built, with 150 bytes per document, and those that they replace are overwritten. The
  // rest is the schema, once per migration.
  assert(size > 5e6 && log < 4_800_000, `${log} bytes written for ${size}`);
  assertEquals(
    db.prepare("SELECT count(*) AS n, min(version) AS v, max(changed_by) AS c FROM documents").get(),
    { n: 20_000, v: 1, c: null },
  );
  assertEquals(getJob(db, 1)?.status, "done");
  checkIntegrity(db);
});

Deno.test("a damaged database is rejected with advice", async () => {
  await using temp = await tempDir();
  openForWriting(temp, now).close();
  const bytes = await Deno.readFile(temp.database);
  bytes.fill(0xff, 100, 4096);
  await Deno.writeFile(temp.database, bytes);
  assertThrows(() => openForWriting(temp, now), DataDirError, "it is damaged. Restore a backup");
});

Deno.test("the reading connection cannot write", async () => {
  await using store = await TestStore.open();
  const reader = openForReading(store.dir);
  assertThrows(() => reader.exec("DELETE FROM documents"), Error, "readonly");
  reader.close();
  assert(store.count("documents") === 0);
});

Deno.test("a database that is shortened while it is open is reported as damaged, and does not end the process", async () => {
  await using dir = await killedStore(100);
  openForWriting(dir, now).close(); // applies the log
  using reader = openForReading(dir);
  const sum = () => reader.prepare("SELECT sum(length(text)) AS n FROM chunks").get()?.n;
  assert(Number(sum()) > 0);
  reader.exec("PRAGMA shrink_memory");
  await Deno.truncate(dir.database, 8 * 4096 + 100);
  assertEquals(storageFault(assertThrows(sum)), "storage_damaged");
});
