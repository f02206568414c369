import { assertEquals } from "@std/assert";
import { adaptCheckpoints } from "../../../../src/engine/sqlite/store/checkpoints.ts";
import { TestStore } from "./test_store.ts";

Deno.test("the log of a small database is small, and grows with the database", async () => {
  await using store = await TestStore.open();
  const pages = () => store.db.prepare("PRAGMA wal_autocheckpoint").get()?.wal_autocheckpoint;
  assertEquals(pages(), 256);
  const extend = (blobs: number) => {
    store.db.exec(`
      CREATE TABLE IF NOT EXISTS large (bytes BLOB);
      INSERT INTO large SELECT zeroblob(4000) FROM json_each('[${Array(blobs).fill(0)}]');
    `);
    adaptCheckpoints(store.db);
  };
  extend(2500);
  assertEquals(pages(), 1024);
  store.db.exec("INSERT INTO large VALUES (zeroblob(100000000))");
  adaptCheckpoints(store.db);
  assertEquals(pages(), 4096);
});
