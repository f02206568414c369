import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { count, sharedSnapshot, snapshot } from "../../../../src/engine/sqlite/store/sql.ts";

/** Opens two connections to a database with a table of items. */
async function openTwo() {
  const directory = await Deno.makeTempDir();
  const [writer, reader] = [new DatabaseSync(`${directory}/a.db`), new DatabaseSync(`${directory}/a.db`)];
  writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE items (id INTEGER PRIMARY KEY)");
  return {
    reader,
    add: () => writer.exec("INSERT INTO items DEFAULT VALUES"),
    items: () => sharedSnapshot(reader, () => count(reader, "SELECT count(*) AS n FROM items")),
    async [Symbol.asyncDispose]() {
      writer.close();
      if (reader.isOpen) reader.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

Deno.test("reads at the same time share a snapshot, and those after a microtask see later commits", async () => {
  await using db = await openTwo();
  assertEquals(db.items(), 0);
  db.add();
  assertEquals([db.items(), snapshot(db.reader, db.items)], [0, 0]);
  await Promise.resolve();
  assertEquals([db.items(), db.reader.isTransaction], [1, true]);
  await Promise.resolve();
  assertEquals(db.reader.isTransaction, false);
});

Deno.test("what is notified of a commit after a shared snapshot has begun sees the commit", async () => {
  await using db = await openTwo();
  const acknowledged = Promise.withResolvers<void>();
  // Queued before the snapshot begins, so that it runs before the snapshot ends.
  queueMicrotask(() => {
    db.add();
    acknowledged.resolve();
  });
  const seen = acknowledged.promise.then(() => db.items());
  assertEquals(db.items(), 0);
  assertEquals(await seen, 1);
});

Deno.test("a shared snapshot ends after an error, and with its connection", async () => {
  await using db = await openTwo();
  assertThrows(
    () => sharedSnapshot(db.reader, () => count(db.reader, "SELECT n FROM missing")),
    Error,
    "missing",
  );
  await Promise.resolve();
  assertEquals(db.reader.isTransaction, false);
  db.items();
  db.reader.close();
  await Promise.resolve();
});
