import { assertEquals } from "@std/assert";
import { spawnWriter } from "../../../../src/engine/worker.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../../../src/engine/sqlite/writer/writer.ts";
import { until } from "../backfill/support.ts";
import { CHUNK, TestStore } from "../store/test_store.ts";

Deno.test("what is kept no longer is deleted in the background, without a write", async () => {
  await using store = await TestStore.open();
  for (const text of ["zebra", "quagga"]) store.addNote(text);
  store.write("updateNote", 1, { text: "okapi" });
  store.write("deleteDocument", 2);
  store.db.exec("UPDATE trash SET deleted_at = '2000-01-01T00:00:00.000Z'");
  store.db.exec("UPDATE revisions SET changed_at = '2000-01-01T00:00:00.000Z'");
  store.recordCommit();
  store.db.close();
  await using _writer = await Writer.start({
    dataDir: store.dir.path,
    chunk: CHUNK,
    maxQueuedJobs: 10,
    spawn: spawnWriter,
  });
  using reader = openForReading(store.dir);
  const rows = reader.prepare("SELECT (SELECT count(*) FROM revisions) + (SELECT count(*) FROM trash) AS n");
  await until(() => rows.get()?.n === 0, "everything that has expired is deleted");
  assertEquals(reader.prepare("SELECT id FROM documents").all(), [{ id: 1 }]);
});
