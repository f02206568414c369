import { assert, assertEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { freePagesStep } from "../../../../src/engine/sqlite/store/free_pages.ts";
import { count } from "../../../../src/engine/sqlite/store/sql.ts";
import { TestStore } from "./test_store.ts";

const pages = (db: DatabaseSync) => count(db, "SELECT page_count AS n FROM pragma_page_count");
const freePages = (db: DatabaseSync) => count(db, "SELECT freelist_count AS n FROM pragma_freelist_count");

Deno.test("pages of deleted rows are given back in steps, and some are kept", async () => {
  await using store = await TestStore.open();
  assertEquals(freePagesStep(store.db), false);
  store.db.exec(`
    CREATE TABLE large (bytes BLOB);
    INSERT INTO large SELECT zeroblob(4000) FROM json_each('[${Array(1200).fill(0)}]');
    DELETE FROM large;
  `);
  const before = pages(store.db);
  let steps = 1;
  while (freePagesStep(store.db)) steps++;
  assert(steps > 2, String(steps));
  assert(pages(store.db) < before - 900, `${before} pages, then ${pages(store.db)}`);
  assert(freePages(store.db) < 256);
  assertEquals(store.db.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
});
