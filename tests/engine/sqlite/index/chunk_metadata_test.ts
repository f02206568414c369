import { assertEquals, assertNotEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ChunkMetadata, CHUNKS_PER_PAGE } from "../../../../src/engine/sqlite/index/chunk_metadata.ts";
import { columnsStep, wrongColumns } from "../../../../src/engine/sqlite/store/mod.ts";
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

/** Returns every chunk as `id: document, length`. */
function contents(metadata: ChunkMetadata, lastId: number): string[] {
  const found: string[] = [];
  for (let id = 0; id <= lastId + 2; id++) {
    const [document, length] = [metadata.documentOf(id), metadata.lengthOf(id)];
    if (document > 0 || length > 0) found.push(`${id}: ${document}, ${length}`);
  }
  return found;
}

function metadataOf(db: DatabaseSync): ChunkMetadata {
  const metadata = new ChunkMetadata(db);
  metadata.refresh();
  return metadata;
}

Deno.test("each chunk has its document, and its length including title and headings", () => {
  const { db } = memoryCorpus([
    { title: "two words", chunks: ["one", { text: "one two, three", headings: ["a b", "c"] }] },
    { title: "東京", chunks: ["", "x ".repeat(70_000)] },
  ]);
  const metadata = metadataOf(db);
  // Two characters and their bigram.
  assertEquals(contents(metadata, 4), ["1: 1, 3", "2: 1, 8", "3: 2, 3", "4: 2, 65535"]);
  assertEquals(metadata.statistics.chunks, 4);
  assertEquals(metadata.statistics.averageLength, (3 + 8 + 3 + 70_003) / 4);
  db.close();
});

Deno.test("an empty store has no chunks, and a mean length that is not zero", () => {
  const { db } = memoryCorpus([]);
  const metadata = metadataOf(db);
  assertEquals(metadata.statistics, { chunks: 0, averageLength: 1 });
  assertEquals([metadata.lengthOf(1), metadata.documentOf(1), metadata.lengthOf(1e9)], [0, 0, 0]);
  assertEquals([...metadata.bitset()], [0]);
  db.close();
});

Deno.test("refresh reads added and removed chunks", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x", "y z"] }, { title: "b", chunks: ["x"] }]);
  const metadata = metadataOf(db);
  writeCorpus(db, [{ title: "c", chunks: ["x y z"] }]);
  remove(db, 1);
  assertEquals(contents(metadata, 4), ["1: 1, 2", "2: 1, 3", "3: 2, 2"]);
  metadata.refresh();
  assertEquals(contents(metadata, 4), ["3: 2, 2", "4: 3, 4"]);
  assertEquals(metadata.statistics, { chunks: 2, averageLength: 3 });
  // Added and removed between two refreshes.
  writeCorpus(db, [{ title: "d", chunks: ["x"] }]);
  remove(db, 4);
  remove(db, 2);
  metadata.refresh();
  assertEquals(contents(metadata, 5), ["4: 3, 4"]);
  db.close();
});

Deno.test("removals that were pruned before a refresh are detected", () => {
  const prune: Record<string, string> = {
    "the first ones": "DELETE FROM removed_chunks WHERE seq < (SELECT max(seq) FROM removed_chunks)",
    "all of them": "DELETE FROM removed_chunks",
    "no entries": "",
  };
  for (const seen of [0, 1]) {
    for (const [which, sql] of Object.entries(prune)) {
      const { db } = memoryCorpus(Array.from({ length: 9 }, () => ({ title: "t", chunks: ["x"] })));
      if (seen > 0) remove(db, 9);
      const metadata = metadataOf(db);
      for (const document of [2, 4, 6]) remove(db, document);
      db.exec(sql);
      metadata.refresh();
      const expected = contents(metadataOf(db), 9);
      assertEquals(expected.length, 6 - seen);
      assertEquals(contents(metadata, 9), expected, `${seen} seen before, ${which} pruned`);
      remove(db, 1);
      metadata.refresh();
      assertEquals(metadata.documentOf(1), 0);
      db.close();
    }
  }
});

Deno.test("after random writes, refresh gives the same as reading everything", () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = seededRandom(seed);
    const { db, ids } = memoryCorpus([]);
    const metadata = metadataOf(db);
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
      if (random.int(2) === 0) columnsStep(db, random.int(9));
      if (random.int(3) === 0) continue;
      metadata.refresh();
      assertEquals(wrongColumns(db), undefined);
      assertEquals(contents(metadata, 500), contents(metadataOf(db), 500), `seed ${seed}, round ${round}`);
    }
    db.close();
  }
});

Deno.test("ids far apart allocate only their own pages", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x"] }]);
  for (const id of [CHUNKS_PER_PAGE - 1, CHUNKS_PER_PAGE, 3 * CHUNKS_PER_PAGE, 1_000 * CHUNKS_PER_PAGE + 5]) {
    db.exec(`UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'chunks'`);
    writeCorpus(db, [{ title: "a", chunks: ["x"] }]);
  }
  const metadata = metadataOf(db);
  const ids = [1, CHUNKS_PER_PAGE - 1, CHUNKS_PER_PAGE, 3 * CHUNKS_PER_PAGE, 1_000 * CHUNKS_PER_PAGE + 5];
  assertEquals(ids.map((id) => metadata.documentOf(id)), [1, 2, 3, 4, 5]);
  assertEquals(
    [2, CHUNKS_PER_PAGE + 1, 2 * CHUNKS_PER_PAGE, 999 * CHUNKS_PER_PAGE].map((id) => metadata.documentOf(id)),
    [0, 0, 0, 0],
  );
  db.close();
});

Deno.test("more chunks than a batch are all read", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array.from({ length: 20_001 }, () => "x") }]);
  const metadata = metadataOf(db);
  assertEquals([1, 20_000, 20_001, 20_002].map((id) => metadata.lengthOf(id)), [2, 2, 2, 0]);
  db.close();
});

Deno.test("a page that is loaded again has another revision", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["x"] }, { title: "b", chunks: ["x"] }]);
  const metadata = metadataOf(db);
  assertEquals([metadata.pageCount, metadata.revisionOf(1)], [1, 0]);
  const before = metadata.revisionOf(0);
  metadata.refresh();
  assertEquals(metadata.revisionOf(0), before);
  remove(db, 1);
  db.exec("DELETE FROM removed_chunks");
  metadata.refresh();
  assertNotEquals(metadata.revisionOf(0), before);
  db.close();
});

Deno.test("refresh reads writes of another connection once they are committed", async () => {
  const dir = await Deno.makeTempDir();
  const writer = new DatabaseSync(`${dir}/kb.db`);
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  createSchema(writer);
  writeCorpus(writer, [{ title: "a", chunks: ["x"] }]);
  const db = new DatabaseSync(`${dir}/kb.db`, { readOnly: true });
  try {
    const metadata = metadataOf(db);
    writeCorpus(writer, [{ title: "b", chunks: ["x y"] }]);
    remove(writer, 1);
    metadata.refresh();
    assertEquals(contents(metadata, 2), ["2: 2, 3"]);
    writer.exec("BEGIN; DELETE FROM chunks; INSERT INTO removed_chunks (chunk_id) VALUES (2)");
    metadata.refresh();
    assertEquals(contents(metadata, 2), ["2: 2, 3"]);
    writer.exec("ROLLBACK");
    metadata.refresh();
    assertEquals(contents(metadata, 2), ["2: 2, 3"]);
  } finally {
    db.close();
    writer.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("the bitset contains the existing chunks that are allowed", () => {
  const { db } = memoryCorpus([{ title: "a", chunks: Array.from({ length: 20 }, () => "x") }]);
  db.exec(`UPDATE sqlite_sequence SET seq = ${2 * CHUNKS_PER_PAGE + 6} WHERE name = 'chunks'`);
  writeCorpus(db, [{ title: "b", chunks: ["x"] }]);
  db.exec("DELETE FROM chunks WHERE id = 6; INSERT INTO removed_chunks (chunk_id) VALUES (6)");
  const metadata = metadataOf(db);
  const bits = metadata.bitset({ isAllowed: (id) => id % 3 === 0 || id > CHUNKS_PER_PAGE });
  const idsIn = (bits: Uint8Array) =>
    Array.from({ length: bits.length * 8 }, (_, id) => id).filter((id) => bits[id >> 3]! & 1 << (id & 7));
  const last = 2 * CHUNKS_PER_PAGE + 7;
  assertEquals(idsIn(bits), [3, 9, 12, 15, 18, last]);
  assertEquals(idsIn(metadata.bitset({ isDocumentAllowed: (document) => document === 2 })), [last]);
  const both = {
    isDocumentAllowed: (document: number) => document === 1,
    isAllowed: (id: number) => id > 18,
  };
  assertEquals(idsIn(metadata.bitset(both)), [19, 20]);
  assertEquals(idsIn(metadata.bitset({ isAllowed: () => false })), []);
  db.close();
});
