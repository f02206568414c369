import { assert, assertEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { ChunkMetadata } from "../../../../src/engine/sqlite/index/chunk_metadata.ts";
import {
  COLUMN_CHUNKS,
  columnCoverage,
  columnsStep,
  hasColumnsToExtend,
  readColumns,
  removeDamagedColumns,
  updateColumns,
  wrongColumns,
} from "../../../../src/engine/sqlite/store/chunk_columns.ts";
import { memoryCorpus, writeCorpus } from "../search/corpus.ts";

/** Extends the columns by everything that is behind. Returns the number of steps. */
function extend(db: DatabaseSync): number {
  let steps = 1;
  while (columnsStep(db, 0)) steps++;
  return steps;
}

function remove(db: DatabaseSync, ids: string): void {
  db.exec(`
    DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE ${ids});
    INSERT INTO removed_chunks (chunk_id) SELECT id FROM chunks WHERE ${ids} ORDER BY id;
    DELETE FROM chunks WHERE ${ids};
  `);
}

/** Returns documents and lengths of chunks as a new connection reads them. */
function load(db: DatabaseSync, ids: readonly number[]): [number, number, number][] {
  const metadata = new ChunkMetadata(db);
  metadata.refresh();
  return ids.map((id) => [metadata.documentOf(id), metadata.lengthOf(id), metadata.bodyLengthOf(id)]);
}

Deno.test("columns cover a row of chunks per step, and then the deleted ones", () => {
  const { db } = memoryCorpus([
    { title: "a", chunks: Array.from({ length: COLUMN_CHUNKS + 9 }, (_, n) => "x ".repeat(n % 3)) },
  ]);
  assertEquals(extend(db), 2);
  assertEquals(
    readColumns(db, columnCoverage(db).lastChunk)?.map(({ page, lengths }) => [page, lengths.length]),
    [[0, 4096], [1, 10]],
  );
  const ids = [1, 2, 3, COLUMN_CHUNKS, COLUMN_CHUNKS + 9, COLUMN_CHUNKS + 10];
  const expected = [[1, 1, 0], [1, 2, 1], [1, 3, 2], [1, 1, 0], [1, 1, 0], [0, 0, 0]];
  assertEquals(load(db, ids), expected);
  // From the columns, not from the rows.
  assertEquals(columnCoverage(db).lastChunk, 4105);

  remove(db, "id >= 4096 OR id = 2");
  assertEquals(load(db, ids), [[1, 1, 0], [0, 0, 0], [1, 3, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]]);
  assertEquals(wrongColumns(db), undefined);
  extend(db);
  assertEquals(readColumns(db, columnCoverage(db).lastChunk)?.map(({ page }) => page), [0]);
  assertEquals(load(db, ids), [[1, 1, 0], [0, 0, 0], [1, 3, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]]);
  assertEquals(wrongColumns(db), undefined);
  db.close();
});

Deno.test("damaged columns are found, and the rows of the chunks are read in their place", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x", "y z"] }]);
  extend(db);
  for (const damage of ["lengths = x'00'", "body_lengths = zeroblob(9000)", "contents = x''", "page = 1e9"]) {
    db.exec(`SAVEPOINT damage; UPDATE chunk_columns SET ${damage}`);
    assertEquals(load(db, [1, 2]), [[1, 2, 1], [1, 3, 2]], damage);
    assertEquals(wrongColumns(db), 1, damage);
    db.exec("ROLLBACK TO damage");
  }
  db.close();
});

/** Returns a store whose columns of nine chunks are damaged. */
function damagedCorpus(damage: string): DatabaseSync {
  const { db } = memoryCorpus([{ title: "a", chunks: Array.from({ length: 9 }, () => "x") }]);
  extend(db);
  db.exec(`UPDATE chunk_columns SET ${damage}`);
  return db;
}

const DAMAGE = [
  "lengths = zeroblob(3)",
  "lengths = zeroblob(16384)",
  "body_lengths = zeroblob(2)",
  "contents = zeroblob(5)",
];

const ADDED = { title: "b", chunks: ["new"] };

/** Changes of the writer that find the damage. */
const WRITES: Record<string, (db: DatabaseSync) => void> = {
  "when the writer starts": (db) => removeDamagedColumns(db),
  "by a step that adds chunks": (db) => writeCorpus(db, [ADDED]),
  "by a step that removes chunks": (db) => remove(db, "id = 5"),
  "when a chunk is indexed again": (db) => updateColumns(db, [5]),
};

for (const [when, change] of Object.entries(WRITES)) {
  Deno.test(`damaged columns are built again ${when}`, () => {
    for (const damage of DAMAGE) {
      const db = damagedCorpus(damage);
      assertEquals(readColumns(db, columnCoverage(db).lastChunk), undefined, damage);
      change(db);
      extend(db);
      assertEquals(readColumns(db, columnCoverage(db).lastChunk)?.length, 1, damage);
      assertEquals(wrongColumns(db), undefined, damage);
      db.close();
    }
  });
}

Deno.test("columns are extended when many chunks are behind, and not for each write", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array(1024).fill("x") }]);
  assert(!hasColumnsToExtend(db));
  writeCorpus(db, [{ title: "b", chunks: ["x"] }]);
  assert(hasColumnsToExtend(db));
  assert(!columnsStep(db));
  assertEquals(columnCoverage(db).lastChunk, 1025);
  db.close();
});

Deno.test("columns are built again when the deletion log was pruned", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array(20).fill("x") }]);
  extend(db);
  remove(db, "id < 10");
  db.exec("DELETE FROM removed_chunks WHERE seq < 9");
  assertEquals(load(db, [9, 10]), [[0, 0, 0], [1, 2, 1]]);
  extend(db);
  assertEquals(load(db, [9, 10]), [[0, 0, 0], [1, 2, 1]]);
  assertEquals([columnCoverage(db), wrongColumns(db)], [{ lastChunk: 20, lastDeletion: 9 }, undefined]);
  db.close();
});

Deno.test("columns keep texts that are hidden or replaced documents", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x", "y"] }]);
  const content = 2 ** 50 + 7;
  db.exec(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO contents (id, is_staged, title, chunk_count) VALUES (${content}, 1, 'a', 2);
    UPDATE chunks SET document_id = ${content};
  `);
  extend(db);
  assertEquals(load(db, [1, 2]), [[0, 0, 0], [0, 0, 0]]);
  db.exec("UPDATE contents SET is_staged = 0, document_id = 1");
  assertEquals(load(db, [1, 2]), [[1, 2, 1], [1, 2, 1]]);
  db.close();
});

Deno.test("wrong columns are found", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x", "y z"] }]);
  extend(db);
  assertEquals(wrongColumns(db), undefined);
  db.exec("UPDATE chunk_columns SET lengths = zeroblob(6)");
  assertEquals(wrongColumns(db), 1);
  db.exec("DELETE FROM chunk_columns");
  assertEquals(wrongColumns(db), 1);
  db.close();
});
