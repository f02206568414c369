import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { repair } from "../../../../src/engine/sqlite/recovery/mod.ts";
import type { DataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { getDocument } from "../../../../src/engine/sqlite/store/mod.ts";
import { draft, TestStore, withoutAnalysis } from "../store/test_store.ts";

const TABLES = ["documents", "revisions", "trash", "note_texts", "document_usage"];

/** A store with two live documents, a deleted one and revisions of all of them. */
async function changedStore(): Promise<TestStore> {
  const store = await TestStore.open();
  for (const text of ["zebra", "quagga", "okapi"]) store.addNote(text, { tags: ["a"], actor: "cursor" });
  for (const id of [1, 2, 3]) {
    store.write("changeTags", id, { remove: [], add: ["b"] });
    store.write("updateNote", id, { text: `changed ${id}` });
    store.write("changeTags", id, { remove: ["b"], add: [] });
  }
  store.write("deleteDocument", 3);
  store.db.exec("INSERT INTO note_texts VALUES (1, 'changed 1')");
  store.db.exec("INSERT INTO document_usage VALUES (1, 5, '2026-01-01T00:00:00.000Z')");
  return store;
}

/** Damages a closed store with SQL or a change of its bytes, then repairs it. */
async function damageAndRepair(
  store: TestStore,
  damage: string | ((bytes: Uint8Array) => void),
): Promise<Awaited<ReturnType<typeof repair>>> {
  if (typeof damage === "string") store.db.exec(damage);
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  store.db.close();
  if (typeof damage === "function") {
    const bytes = await Deno.readFile(store.dir.database);
    damage(bytes);
    await Deno.writeFile(store.dir.database, bytes);
  }
  return await repair(store.dir.path);
}

function contents({ database }: DataDir): unknown[] {
  using db = new DatabaseSync(database, { readOnly: true });
  return TABLES.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all().map(withoutAnalysis));
}

function versions({ database }: DataDir): unknown[] {
  using db = new DatabaseSync(database, { readOnly: true });
  const rows = db.prepare("SELECT document_id, version FROM revisions ORDER BY 1, 2").all();
  return rows.map((row) => [row.document_id, row.version]);
}

Deno.test("repair keeps former versions, the trash, exact texts and usage", async () => {
  await using store = await changedStore();
  const before = contents(store.dir);
  const { rows } = await damageAndRepair(store, "");
  assertEquals([rows["revisions"], rows["note_texts"], rows["document_usage"]], [10, 1, 1]);
  assertEquals(contents(store.dir), before);
  const again = TestStore.over(store.dir);
  again.write("restoreDocument", 3, { version: 1 });
  assertEquals(again.document(3).chunks?.[0]?.text, "okapi");
  assertEquals(again.addNote("new").document_id, 4);
  again.check();
  again.db.close();
});

Deno.test("repair recovers former versions without the schema", async () => {
  await using store = await changedStore();
  const [documents, revisions, trash] = contents(store.dir);
  await damageAndRepair(store, (bytes) => bytes.fill(0, 0, 4096));
  assertEquals(contents(store.dir).slice(0, 3), [documents, revisions, trash]);
});

Deno.test("repair drops former versions whose text is lost, and no others", async () => {
  await using store = await changedStore();
  // Version 2 has the text of version 1.
  await damageAndRepair(store, "UPDATE revisions SET content = x'00' WHERE document_id = 1 AND version = 2");
  const rest = [[2, 1], [2, 2], [2, 3], [3, 1], [3, 2], [3, 3], [3, 4]];
  assertEquals(versions(store.dir), [[1, 3], ...rest]);
});

Deno.test("repair drops former versions that share the text of an incomplete document", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addFile("x", {}, { chunks: [draft("one"), draft("two")] }).document_id);
  store.write("updateNote", Number(store.addNote("note").document_id), { text: "other" });
  store.write("changeTags", id, { remove: [], add: ["a"] });
  await damageAndRepair(store, "DELETE FROM chunks WHERE text = 'one'");
  assertEquals(versions(store.dir), [[2, 1]]);
});

Deno.test("a lost document with the text of a former version can be restored from the trash", async () => {
  await using store = await changedStore();
  const damage = "DELETE FROM chunks WHERE document_id = 1; DELETE FROM trash";
  const { lost } = await damageAndRepair(store, damage);
  assertEquals(lost.map(({ id }) => id), [1]);
  const again = TestStore.over(store.dir);
  const trashed = again.db.prepare("SELECT document_id, version FROM trash").all();
  assertEquals(trashed, [{ document_id: 1, version: 2 }, { document_id: 3, version: 4 }]);
  again.write("restoreDocument", 1, {});
  assertEquals(again.document(1).chunks?.[0]?.text, "zebra");
  assert(getDocument(again.db, 1)?.tags.includes("b"));
  again.check();
  again.db.close();
});
