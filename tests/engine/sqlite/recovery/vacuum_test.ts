import { assert, assertEquals, assertRejects } from "@std/assert";
import { checkData, vacuum } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { DataDirError, lockDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForWriting, timestamp } from "../../../../src/engine/sqlite/store/open.ts";
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
