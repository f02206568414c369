import { assertEquals } from "@std/assert";
import { checkData, repair } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { contentStep } from "../../../../src/engine/sqlite/store/content_steps.ts";
import { getDocument } from "../../../../src/engine/sqlite/store/mod.ts";
import { draft, sha256, TestStore } from "../store/test_store.ts";

const chunksWith = (word: string) => Array.from({ length: 300 }, (_, i) => draft(`${word} ${i}`));

const textOf = (store: TestStore, id: number, version?: number) =>
  getDocument(store.db, id, { version })?.chunks?.map(({ text }) => text);

/** Adds the first chunks of a file that is never finished. */
function stage(store: TestStore): void {
  store.write("createJob", { spoolFile: "f", contentHash: sha256("f"), sizeBytes: 1, tags: [] });
  const jobId = store.write("claimFiles")[0]?.jobId ?? NaN;
  const chunks = chunksWith("staged");
  store.write("stageChunks", { jobId, contentId: undefined, title: undefined, position: 0, chunks });
}

for (const damage of ["", "DELETE FROM contents WHERE document_id IS NOT NULL"]) {
  Deno.test(`repair keeps long texts and those of revisions, and removes unfinished ones ${damage}`, async () => {
    await using store = await TestStore.open();
    const id = Number(store.addFile("a", { sourcePath: "p" }, { chunks: chunksWith("quagga") }).document_id);
    store.addFile("b", { sourcePath: "p" }, { chunks: chunksWith("okapi") });
    contentStep(store.db);
    stage(store);
    if (damage) store.db.exec(damage);
    store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    store.db.close();
    await repair(store.dir.path);
    const repaired = TestStore.over(store.dir);
    using _db = repaired.db;
    repaired.check();
    const live = repaired.find("okapi")[0] ?? 0;
    assertEquals(textOf(repaired, live), chunksWith("okapi").map(({ text }) => text));
    assertEquals([repaired.find("quagga"), repaired.find("staged")], [[], []]);
    assertEquals(repaired.count("chunks"), 300);
    if (!damage) assertEquals(textOf(repaired, id, 1), chunksWith("quagga").map(({ text }) => text));
  });
}

Deno.test("the data check finds no damage while texts are written and removed, and finds chunks without either", async () => {
  await using store = await TestStore.open();
  const damagedParts = () => {
    store.recordCommit();
    return checkData(store.dir.path).parts.filter(({ state }) => state === "damaged").map(({ name }) => name);
  };
  store.addFile("a", { sourcePath: "p" }, { chunks: chunksWith("quagga") });
  store.addFile("b", { sourcePath: "p" }, { chunks: chunksWith("okapi") });
  stage(store);
  assertEquals(damagedParts(), []);
  contentStep(store.db);
  assertEquals(damagedParts(), []);
  store.db.exec("DELETE FROM contents WHERE is_staged = 1");
  assertEquals(damagedParts(), ["references"]);
});
