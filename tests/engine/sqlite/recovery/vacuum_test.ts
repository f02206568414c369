import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { checkData, vacuum } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { dataDirAt, DataDirError, lockDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { createDatabase, isMigrated, openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { timestamp } from "../../../../src/engine/sqlite/store/sql.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkIntegrity, killedStore, namesIn } from "../store/test_store.ts";

Deno.test("vacuum keeps everything but unused space", async () => {
  await using dir = await killedStore(60);
  const rows = () => {
    using db = openForWriting(dir, timestamp);
    checkIntegrity(db);
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    return {
      schema: db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all(),
      content: tables.filter(({ name }) => !String(name).startsWith("sqlite_stat")).map(({ name }) =>
        db.prepare(`SELECT * FROM "${name}"`).all()
      ),
      found: db.prepare("SELECT count(*) AS n FROM chunks_fts WHERE chunks_fts MATCH 'something'").get()?.n,
    };
  };
  {
    using db = openForWriting(dir, timestamp);
    db.exec("UPDATE jobs SET text = hex(randomblob(20000)); UPDATE jobs SET text = NULL; ANALYZE");
  }
  const before = rows();
  const sizes = await vacuum(dir.path);
  assert(sizes.after < sizes.before / 2, JSON.stringify(sizes));
  assertEquals(rows(), before);
  assert(Number(before.found) > 0);
  assertEquals(checkData(dir.path).isIntact, true);
  assertEquals(namesIn(dir.path).filter((name) => name.includes("vacuumed")), []);
});

Deno.test("vacuum refuses a directory in use", async () => {
  await using dir = await killedStore(1);
  using _lock = lockDataDir(dir);
  await assertRejects(() => vacuum(dir.path), DataDirError, "in use");
});

Deno.test("vacuum migrates a database of an older version, whose normalized texts it then removes", async () => {
  await using folder = await temporaryFolder();
  const dir = dataDirAt(folder.path);
  const names = MIGRATIONS.map(({ name }) => name);
  createDatabase(dir, names.slice(0, names.indexOf("computed_search_text")), timestamp);
  {
    using db = new DatabaseSync(dir.database);
    db.exec(`
      INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at)
             VALUES ('fooBar', 'note', '', 0, 1, '');
      INSERT INTO chunks (document_id, position, text, search_text, heading_path, search_heading,
                          line_start, line_end, char_start, char_end)
             VALUES (1, 0, 'fooBar', 'fooBar\nfoo bar', '[]', '', 1, 1, 0, 6)`);
  }
  await vacuum(dir.path);
  assertEquals(isMigrated(dir), true);
  using db = openForReading(dir);
  assertEquals(db.prepare("SELECT text, search_text FROM chunks").all(), [
    { text: "fooBar", search_text: "" },
  ]);
});
