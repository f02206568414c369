import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ImportError } from "../../src/transfer/import_items.ts";
import { SqliteCopy } from "../../src/transfer/sqlite_copy.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

Deno.test("a database of others has no views, and no value that is generated beyond the limit", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/hostile.db`;
  {
    using db = new DatabaseSync(path);
    db.exec(`
      CREATE TABLE memories (id);
      INSERT INTO memories VALUES (1);
      ALTER TABLE memories ADD COLUMN big AS (hex(zeroblob(40000000)));
      CREATE VIEW "end""less" AS WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r;
    `);
  }
  await using copy = await SqliteCopy.open(path);
  assertThrows(() => [...copy.rows("SELECT * FROM memories")], ImportError, "only 0 of 1 rows");
  assertThrows(() => [...copy.rows('SELECT * FROM "end""less"')], ImportError, "no such table");
  assertEquals([...copy.rows("SELECT id FROM memories")], [{ id: 1 }]);
});

Deno.test("a database with a damaged page is not read as if it ended there", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/damaged.db`;
  {
    using db = new DatabaseSync(path);
    db.exec(`
      CREATE TABLE memories (x);
      WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 2000)
        INSERT INTO memories SELECT hex(zeroblob(50)) FROM r;
    `);
  }
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, bytes.fill(0x5a, 20 * 4096, 21 * 4096));
  await using copy = await SqliteCopy.open(path);
  assertThrows(() => [...copy.rows("SELECT x FROM memories ORDER BY rowid")], ImportError, "damaged");
});
