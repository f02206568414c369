import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ChunkTable, PAGE } from "../../../../src/engine/sqlite/index/chunk_table.ts";
import { seededRandom } from "../../../support/random.ts";
import { createSchema, memoryCorpus, writeCorpus } from "../search/corpus.ts";

/** Removes a document as the store does. */
function remove(db: DatabaseSync, document: number): void {
  db.exec(`
    BEGIN;
    DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE document_id = ${document});
    INSERT INTO removed_chunks (chunk_id) SELECT id FROM chunks WHERE document_id = ${document} ORDER BY id;
    DELETE FROM documents WHERE id = ${document};
    COMMIT;
  `);
}

/** What the table says of every chunk that there is or was, as `id: document, length`. */
function contents(table: ChunkTable, lastId: number): string[] {
  const found: string[] = [];
  for (let id = 0; id <= lastId + 2; id++) {
    const [document, length] = [table.documentOf(id), table.lengthOf(id)];
    if (document > 0 || length > 0) found.push(`${id}: ${document}, ${length}`);
  }
  return found;
}

function tableOf(db: DatabaseSync): ChunkTable {
  const table = new ChunkTable(db);
  table.refresh();
  return table;
}

Deno.test("the table knows each chunk's document and how many words it has, title and headings included", () => {
  const { db } = memoryCorpus([
    { title: "two words", chunks: ["one", { text: "one two, three", headings: ["a b", "c"] }] },
    { title: "東京", chunks: ["", "x ".repeat(70_000)] },
  ]);
  const table = tableOf(db);
  // The characters and the pair of them.
  assertEquals(contents(table, 4), ["1: 1, 3", "2: 1, 8", "3: 2, 3", "4: 2, 65535"]);
  assertEquals(table.size.chunks, 4);
  assertEquals(table.size.averageLength, (3 + 8 + 3 + 70_003) / 4);
  db.close();
});

Deno.test("a store without chunks has none, and a mean length that can be divided by", () => {
  const { db } = memoryCorpus([]);
  const table = tableOf(db);
  assertEquals(table.size, { chunks: 0, averageLength: 1 });
  assertEquals([table.lengthOf(1), table.documentOf(1), table.lengthOf(1e9)], [0, 0, 0]);
  assertEquals([...table.bitset(() => true)], [0]);
  db.close();
});

Deno.test("what comes and goes is noticed by the next refresh, and not before", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x", "y z"] }, { title: "b", chunks: ["x"] }]);
  const table = tableOf(db);
  writeCorpus(db, [{ title: "c", chunks: ["x y z"] }]);
  remove(db, 1);
  assertEquals(contents(table, 4), ["1: 1, 2", "2: 1, 3", "3: 2, 2"]);
  table.refresh();
  assertEquals(contents(table, 4), ["3: 2, 2", "4: 3, 4"]);
  assertEquals(table.size, { chunks: 2, averageLength: 3 });
  // Came and went between two looks.
  writeCorpus(db, [{ title: "d", chunks: ["x"] }]);
  remove(db, 4);
  remove(db, 2);
  table.refresh();
  assertEquals(contents(table, 5), ["4: 3, 4"]);
  db.close();
});

Deno.test("removals that were pruned before they were seen are noticed all the same", () => {
  const prune: Record<string, string> = {
    "the first ones": "DELETE FROM removed_chunks WHERE seq < (SELECT max(seq) FROM removed_chunks)",
    "all of them": "DELETE FROM removed_chunks",
    "none": "",
  };
  for (const seen of [0, 1]) {
    for (const [which, sql] of Object.entries(prune)) {
      const { db } = memoryCorpus(Array.from({ length: 9 }, () => ({ title: "t", chunks: ["x"] })));
      if (seen > 0) remove(db, 9);
      const table = tableOf(db);
      for (const document of [2, 4, 6]) remove(db, document);
      db.exec(sql);
      table.refresh();
      const expected = contents(tableOf(db), 9);
      assertEquals(expected.length, 6 - seen);
      assertEquals(contents(table, 9), expected, `${seen} seen before, ${which} pruned`);
      remove(db, 1);
      table.refresh();
      assertEquals(table.documentOf(1), 0);
      db.close();
    }
  }
});

Deno.test("after any writes the table is the same as one that is read anew", () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = seededRandom(seed);
    const { db, ids } = memoryCorpus([]);
    const table = tableOf(db);
    for (let round = 0; round < 25; round++) {
      for (let n = random.int(6); n > 0; n--) {
        const chunks = Array.from({ length: random.int(5) }, () => "w ".repeat(random.int(9)));
        ids.push(...writeCorpus(db, [{ title: "t", chunks }]));
      }
      for (let n = random.int(5); n > 0 && ids.length > 0; n--) {
        remove(db, ids.splice(random.int(ids.length), 1)[0] as number);
      }
      if (random.int(4) === 0) {
        db.exec(`DELETE FROM removed_chunks WHERE seq % 2 = ${random.int(2)} OR seq < 20`);
      }
      if (random.int(3) === 0) continue;
      table.refresh();
      assertEquals(contents(table, 500), contents(tableOf(db), 500), `seed ${seed}, round ${round}`);
    }
    db.close();
  }
});

Deno.test("ids far apart cost no more than their own pages", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x"] }]);
  for (const id of [PAGE - 1, PAGE, 3 * PAGE, 1_000 * PAGE + 5]) {
    db.exec(`UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'chunks'`);
    writeCorpus(db, [{ title: "a", chunks: ["x"] }]);
  }
  const table = tableOf(db);
  const ids = [1, PAGE - 1, PAGE, 3 * PAGE, 1_000 * PAGE + 5];
  assertEquals(ids.map((id) => table.documentOf(id)), [1, 2, 3, 4, 5]);
  assertEquals([2, PAGE + 1, 2 * PAGE, 999 * PAGE].map((id) => table.documentOf(id)), [0, 0, 0, 0]);
  db.close();
});

Deno.test("more chunks than are read at a time are all there", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array.from({ length: 20_001 }, () => "x") }]);
  const table = tableOf(db);
  assertEquals([1, 20_000, 20_001, 20_002].map((id) => table.lengthOf(id)), [2, 2, 2, 0]);
  db.close();
});

Deno.test("another connection's writes are seen once they are committed", async () => {
  const dir = await Deno.makeTempDir();
  const writer = new DatabaseSync(`${dir}/kb.db`);
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  createSchema(writer);
  writeCorpus(writer, [{ title: "a", chunks: ["x"] }]);
  const db = new DatabaseSync(`${dir}/kb.db`, { readOnly: true });
  try {
    const table = tableOf(db);
    writeCorpus(writer, [{ title: "b", chunks: ["x y"] }]);
    remove(writer, 1);
    table.refresh();
    assertEquals(contents(table, 2), ["2: 2, 3"]);
    writer.exec("BEGIN; DELETE FROM chunks; INSERT INTO removed_chunks (chunk_id) VALUES (2)");
    table.refresh();
    assertEquals(contents(table, 2), ["2: 2, 3"]);
    writer.exec("ROLLBACK");
    table.refresh();
    assertEquals(contents(table, 2), ["2: 2, 3"]);
  } finally {
    db.close();
    writer.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("a bitset has the bits of the chunks that are there and pass", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array.from({ length: 20 }, () => "x") }]);
  db.exec(`UPDATE sqlite_sequence SET seq = ${2 * PAGE + 6} WHERE name = 'chunks'`);
  writeCorpus(db, [{ title: "b", chunks: ["x"] }]);
  db.exec("DELETE FROM chunks WHERE id = 6; INSERT INTO removed_chunks (chunk_id) VALUES (6)");
  const table = tableOf(db);
  const bits = table.bitset((id) => id % 3 === 0 || id > PAGE);
  const set: number[] = [];
  for (let id = 0; id < bits.length * 8; id++) if ((bits[id >> 3] as number) & (1 << (id & 7))) set.push(id);
  assertEquals(set, [3, 9, 12, 15, 18, 2 * PAGE + 7]);
  assertEquals(table.bitset(() => false).some((byte) => byte !== 0), false);
  db.close();
});
