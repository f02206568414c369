import { assert, assertEquals } from "@std/assert";
import { spawnWriter } from "../../../../src/engine/worker.ts";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../../../src/engine/sqlite/writer/writer.ts";
import { CHUNK, TestStore } from "../store/test_store.ts";
import { linesUntilKilled } from "./killed_child.ts";

const DOCUMENTS = 8;

/** Deletes and restores each document in turn until it is killed, and prints every acknowledged change. */
const CHILD = `
  const { Writer } = await import(WRITER);
  const { spawnWriter } = await import(WORKER);
  const writer = await Writer.start({ dataDir: DIR, chunk: ${
  JSON.stringify(CHUNK)
}, maxQueuedJobs: 10, spawn: spawnWriter });
  const print = (...values) => Deno.stdout.writeSync(new TextEncoder().encode(values.join(" ") + "\\n"));
  const client = async (id) => {
    for (;;) {
      await writer.call("deleteDocument", id);
      print("deleted", id);
      const { version } = await writer.call("restoreDocument", id, {});
      print("restored", id, version);
    }
  };
  for (let id = 1; id <= ${DOCUMENTS}; id++) client(id);
`;

Deno.test("after kill -9 every acknowledged delete and restore is on disk, and each document exists once", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < DOCUMENTS; i++) store.addNote(`note ${i}`, { tags: ["collection:memory"] });
  store.recordCommit();
  store.db.close();
  const acknowledged = await changeAndKill(store.dir.path, 400);
  const writer = await Writer.start({
    dataDir: store.dir.path,
    chunk: CHUNK,
    maxQueuedJobs: 10,
    spawn: spawnWriter,
  });
  await writer.close();
  using db = openForReading(dataDirAt(store.dir.path));
  const select = db.prepare(
    `SELECT (SELECT version FROM documents WHERE id = :id) AS live,
            (SELECT version FROM trash WHERE document_id = :id) AS deleted,
            (SELECT count(*) FROM chunks WHERE document_id = :id) AS chunks`,
  );
  for (let id = 1; id <= DOCUMENTS; id++) {
    const changes = acknowledged.filter((change) => change.id === id);
    const { live, deleted, chunks } = select.get({ id }) ?? {};
    assertEquals([live === null, chunks], [deleted !== null, live === null ? 0 : 1]);
    const restores = changes.filter(({ isRestore }) => isRestore).length;
    // One more change can have been committed that was not acknowledged any more.
    const isRestored = changes.at(-1)?.isRestore ?? true;
    assert(
      isRestored ? (live ?? deleted) === restores + 1 : [live, deleted].includes(restores + (live ? 2 : 1)),
    );
  }
  assertEquals(db.prepare("PRAGMA integrity_check").get(), { integrity_check: "ok" });
});

async function changeAndKill(
  dataDir: string,
  lines: number,
): Promise<{ readonly id: number; readonly isRestore: boolean }[]> {
  const printed = await linesUntilKilled({ code: CHILD, dataDir, lines });
  return printed.map((line) => {
    const [change, id] = line.split(" ");
    return { id: Number(id), isRestore: change === "restored" };
  });
}
