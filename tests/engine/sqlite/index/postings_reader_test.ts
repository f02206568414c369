import type { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ANALYSIS_VERSION } from "../../../../src/analysis/mod.ts";
import { PostingsReader } from "../../../../src/engine/sqlite/index/postings_reader.ts";
import { IndexMemory, MAX_PACKED_BYTES } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { loadAll, type Postings } from "../../../../src/engine/sqlite/index/postings.ts";
import { PostingsCache } from "../../../../src/engine/sqlite/index/postings_cache.ts";
import { seededRandom } from "../../../support/random.ts";
import { memoryCorpus, writeCorpus } from "../search/corpus.ts";
import { removePages } from "./fts5_pages.ts";

Deno.test("posting lists are evicted, the oldest first, and read again", () => {
  const words = Array.from({ length: 17_000 }, (_, n) => `word${n}`).join(" ");
  const { db } = memoryCorpus([{ title: "x", chunks: ["y", words] }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  // A cached posting list is the same object.
  const first = reader.term("y");
  assert(reader.term("y") === first, "cached");
  for (let i = 0; i < 17_000; i++) assertEquals(reader.term(`word${i}`).count, 1);
  assert(reader.term("y") !== first, "evicted");
  assertEquals([...reader.idsOf(first)], [1]);
  db.close();
});

Deno.test("a posting list that was evicted and read again is not overwritten by others", () => {
  const memory = new IndexMemory();
  memory.cacheEnd = memory.cacheStart + 2 * MAX_PACKED_BYTES * memory.maxPostings;
  const cache = new PostingsCache(memory);
  // Fills the ring several times, with lists of different sizes.
  const { int } = seededRandom(3);
  const lists = Array.from({ length: 40 }, (_, n) => {
    const count = 1 + int(memory.maxPostings - 40);
    return cache.add(`${n % 30}`, () => writeSequence(memory, n, count));
  });
  for (let round = 0; round < 400; round++) {
    const n = int(lists.length);
    const list = lists[n] as Postings;
    list.load();
    assert(isSequence(memory, list, n), `list ${n} in round ${round}`);
  }
});

Deno.test("posting lists that are used often remain, and others are evicted", () => {
  const memory = new IndexMemory();
  memory.cacheEnd = memory.cacheStart + 2 * MAX_PACKED_BYTES * memory.maxPostings;
  const cache = new PostingsCache(memory);
  const reads: number[] = [];
  const addList = (n: number, count: number) =>
    cache.add(`${n}`, () => {
      reads.push(n);
      return writeSequence(memory, n, count);
    });
  const first = addList(0, 3000);
  const other = addList(1, 3000);
  for (let n = 2; n < 200; n++) {
    addList(1 + n % 39, 1 + n * 37 % 9000);
    assert(cache.get("0") === first, "the same");
    assert(isSequence(memory, first, 0), `after ${n} lists`);
  }
  assertEquals(reads.filter((n) => n === 0).length, 1, "read once");
  assertEquals(other.address, 0);
});

Deno.test("chunks are looked up in posting lists of any length", () => {
  const { int } = seededRandom(5);
  const chunks = Array.from(
    { length: 9000 },
    (_, n) => ["all", n % 3 === 0 ? "third" : "", n === 8191 ? "last" : "", n < 17 ? "first" : ""].join(" "),
  );
  const { db } = memoryCorpus([{ title: "x", chunks }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  for (const term of ["all", "third", "last", "first", "none"]) {
    const postings = reader.term(term);
    const ids = new Set(reader.idsOf(postings));
    for (const length of [0, 1, 32]) {
      // The first and last ids of blocks, and others in any order.
      const wanted = [
        8192,
        4095,
        4096,
        1,
        9000,
        17,
        9001,
        ...Array.from({ length: 32 }, () => 1 + int(9000)),
      ];
      const found = reader.bitsOf(postings, wanted.slice(0, length));
      for (const [at, id] of wanted.slice(0, length).entries()) {
        assertEquals((found >>> at & 1) === 1, ids.has(id), `${id} in ${term}`);
      }
    }
  }
  assertThrows(
    () => reader.bitsOf(reader.term("all"), Array.from({ length: 33 }, (_, n) => n + 1)),
    RangeError,
  );
  db.close();
});

Deno.test("posting lists that are larger than the cache can be in memory together", () => {
  const memory = new IndexMemory();
  memory.cacheEnd = memory.cacheStart + 2 * MAX_PACKED_BYTES * memory.maxPostings;
  const cache = new PostingsCache(memory);
  const lists = Array.from(
    { length: 12 },
    (_, n) => cache.add(`${n}`, () => writeSequence(memory, n, memory.maxPostings - 40)),
  );
  assert(lists.some(({ address }) => address === 0), "evicted");
  loadAll(lists, memory);
  for (const [n, list] of lists.entries()) assert(isSequence(memory, list, n), `list ${n}`);
});

/** Writes the ids from `first` on as the posting list that is being read. Returns their number. */
function writeSequence({ bytes, scratch, maxPostings }: IndexMemory, first: number, count: number): number {
  new Uint32Array(bytes.buffer, scratch, count).forEach((_, at, ids) => ids[at] = first + at);
  bytes.fill(1, scratch + 4 * maxPostings, scratch + 4 * maxPostings + count);
  return count;
}

/** Whether a posting list is in memory, with the ids from `first` on. */
function isSequence(memory: IndexMemory, { address, count }: Postings, first: number): boolean {
  memory.kernel.unpackIds(address, count, memory.scratch);
  const ids = new Uint32Array(memory.bytes.buffer, memory.scratch, count);
  return address > 0 && ids.every((id, at) => id === first + at);
}

Deno.test("posting lists are kept after commits that leave the texts unchanged", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["grey heron", "reed"] }]);
  const reader = new PostingsReader(db);
  const heron = () => {
    reader.refresh();
    return reader.term("heron");
  };
  const first = heron();
  const { version } = reader;
  db.exec("CREATE TABLE jobs_of_test (id); INSERT INTO jobs_of_test VALUES (1)");
  assert(heron() === first, "unchanged");
  assert(reader.version !== version);
  writeCorpus(db, [{ title: "y", chunks: ["heron"] }]);
  assertEquals([...reader.idsOf(heron())], [1, 3]);
  db.exec(`
    INSERT INTO removed_chunks (chunk_id) VALUES (1);
    DELETE FROM chunks_fts WHERE rowid = 1;
    DELETE FROM chunks WHERE id = 1;
  `);
  assertEquals([...reader.idsOf(heron())], [3]);
  db.close();
});

Deno.test("a commit that only adds texts forgets the posting lists of their terms and of phrases", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["grey heron", "brown reed"] }]);
  const reader = new PostingsReader(db);
  const lists = () => {
    refreshAnalyzed(reader, db);
    return [reader.term("heron"), reader.term("reed"), reader.phrase(["grey", "heron"])];
  };
  lists();
  writeCorpus(db, [{ title: "y", chunks: ["water"] }]);
  const before = lists();
  writeCorpus(db, [{ title: "z", chunks: ["grey heron"] }]);
  const after = lists();
  assertEquals(after.map((list, index) => list === before[index]), [false, true, false]);
  assertEquals(after.map((list) => list && [...reader.idsOf(list)]), [[1, 4], [2], [1, 4]]);
  db.close();
});

Deno.test("a posting list that was evicted before a commit is read with the texts that it added", () => {
  const words = Array.from({ length: 17_000 }, (_, n) => `word${n}`).join(" ");
  const { db } = memoryCorpus([{ title: "x", chunks: ["heron", words] }]);
  const reader = new PostingsReader(db);
  const refresh = () => refreshAnalyzed(reader, db);
  refresh();
  refresh();
  const heron = reader.term("heron");
  for (let i = 0; i < 17_000; i++) reader.term(`word${i}`);
  assertEquals(heron.address, 0, "evicted");
  // Locates it again.
  reader.estimate(["heron"]);
  writeCorpus(db, [{ title: "y", chunks: ["heron"] }]);
  refresh();
  assertEquals(idsOf(reader, heron), [1, 3]);
  db.close();
});

Deno.test("posting lists that were used since a commit are kept after searches for many words", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["heron", "reed"] }]);
  const reader = new PostingsReader(db);
  const refresh = () => refreshAnalyzed(reader, db);
  refresh();
  refresh();
  assertEquals(idsOf(reader, reader.term("heron")), [1]);
  const reed = reader.term("reed");
  writeCorpus(db, [{ title: "y", chunks: ["heron"] }]);
  refresh();
  assert(reader.term("reed") === reed, "no new rows");
  reader.estimate(Array.from({ length: 17_000 }, (_, n) => `absent${n}`));
  refresh();
  assert(reader.term("reed") === reed, "used");
  assertEquals(idsOf(reader, reader.term("heron")), [1, 3]);
  db.close();
});

Deno.test("a commit that adds a language without derived terms changes the languages", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["grey heron"] }]);
  const addGerman = () => {
    writeCorpus(db, [{ title: "y", chunks: ["das ist es nicht"] }]);
    db.exec(`UPDATE documents SET analysis_version = ${ANALYSIS_VERSION}`);
  };
  const reader = new PostingsReader(db);
  const languages = () => {
    reader.refresh();
    return reader.languages;
  };
  addGerman();
  assertEquals([languages(), languages()], [[], []]);
  addGerman();
  db.exec("UPDATE documents SET stemmed_languages = 'de' WHERE title = 'y'");
  assertEquals(languages(), ["de"]);
  db.close();
});

Deno.test("posting lists are kept when a commit merges the segments of others", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["grey heron"] }]);
  const reader = new PostingsReader(db);
  const lists = new Set<Postings>();
  const segments: number[] = [];
  for (let n = 0; n < 40; n++) {
    db.exec(`UPDATE documents SET analysis_version = ${ANALYSIS_VERSION}`);
    reader.refresh();
    lists.add(reader.term("heron"));
    assertEquals(reader.term("water").count, n, "new rows");
    segments.push(Number(db.prepare("SELECT count(DISTINCT segid) AS n FROM chunks_fts_idx").get()?.["n"]));
    writeCorpus(db, [{ title: "y", chunks: ["water"] }]);
  }
  assert(segments.some((count, n) => count < (segments[n - 1] ?? 0)), "merged");
  // The list is read again once it shares a segment with new rows.
  assertEquals(lists.size, 3);
  db.close();
});

Deno.test("posting lists that are kept over commits are those of a new reader", () => {
  for (let seed = 1; seed <= 4; seed++) {
    const { int, pick } = seededRandom(seed);
    const words = Array.from({ length: 60 }, (_, n) => `w${n}`);
    const text = () => Array.from({ length: 1 + int(30) }, () => words[int(1 + int(60))] as string).join(" ");
    const { db } = memoryCorpus([{ title: "x", chunks: [text(), text()] }]);
    db.exec("PRAGMA foreign_keys = OFF");
    const reader = new PostingsReader(db);
    let hidden = 0;
    for (let round = 0; round < 60; round++) {
      const change = int(12);
      if (change === 0) removeChunk(db, pick(chunksOf(db)));
      else if (change === 1) db.exec("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', 50)");
      else if (change === 2 && hidden === 0) {
        // A text that is being written, which becomes visible later.
        db.exec("INSERT INTO contents (id, is_staged, title, chunk_count) VALUES (1000, 1, 'hidden', 1)");
        writeCorpus(db, [{ title: "hidden", chunks: [text()] }]);
        hidden = Math.max(...chunksOf(db));
        db.exec(`UPDATE chunks SET document_id = 1000 WHERE id = ${hidden}`);
      } else if (change === 3 && hidden > 0 && hidden < Infinity) {
        db.exec("UPDATE contents SET document_id = 1, is_staged = 0 WHERE id = 1000");
        hidden = Infinity;
      } else if (change === 4 && hidden === Infinity) {
        db.exec("UPDATE contents SET document_id = NULL WHERE id = 1000");
        hidden = -1;
      } else for (let n = int(3); n >= 0; n--) writeCorpus(db, [{ title: text(), chunks: [text()] }]);
      db.exec(`UPDATE documents SET analysis_version = ${ANALYSIS_VERSION}`);
      const fresh = new PostingsReader(db);
      fresh.refresh();
      reader.refresh();
      // Other terms are used for the first time some commits later.
      const used = round % 8 === 7 ? words : words.filter(() => int(5) === 0);
      const where = `seed ${seed}, round ${round}`;
      const estimated = words.filter(() => int(5) === 0);
      assertEquals(reader.estimate(estimated), fresh.estimate(estimated), where);
      for (const word of used) {
        const [list, expected] = [reader.term(word), fresh.term(word)];
        assertEquals(idsOf(reader, list), idsOf(fresh, expected), `${where}, ${word}`);
        assertEquals(reader.idf(list), fresh.idf(expected), `${where}, ${word}`);
      }
      const phrase = [pick(words), pick(words.slice(0, 5))];
      const [list, expected] = [reader.phrase(phrase), fresh.phrase(phrase)];
      assertEquals(list && idsOf(reader, list), expected && idsOf(fresh, expected), `${where}, ${phrase}`);
    }
    db.close();
  }
});

/** Refreshes a reader as if the writer had analyzed all documents. */
function refreshAnalyzed(reader: PostingsReader, db: DatabaseSync): void {
  db.exec(`UPDATE documents SET analysis_version = ${ANALYSIS_VERSION}`);
  reader.refresh();
}

function idsOf(reader: PostingsReader, postings: Postings): number[] {
  return [...reader.idsOf(postings)].sort((a, b) => a - b);
}

function chunksOf(db: DatabaseSync): number[] {
  return db.prepare("SELECT id FROM chunks WHERE document_id < 1000").all().map(({ id }) => Number(id));
}

function removeChunk(db: DatabaseSync, id: number): void {
  db.exec(`
    INSERT INTO removed_chunks (chunk_id) VALUES (${id});
    DELETE FROM chunks_fts WHERE rowid = ${id};
    DELETE FROM chunks WHERE id = ${id};
  `);
}

Deno.test("index pages are kept only while nothing is removed, and no document is to be analyzed again", () => {
  for (const change of ["none", "removed", "analyzed"]) {
    const { db } = memoryCorpus([{ title: "x", chunks: ["grey heron", "reed"] }]);
    const reader = new PostingsReader(db);
    db.exec(`UPDATE documents SET analysis_version = ${change === "analyzed" ? 0 : ANALYSIS_VERSION}`);
    reader.refresh();
    assertEquals(reader.term("heron").count, 1);
    // A page that is read again would be missing.
    removePages(db);
    if (change === "removed") db.exec("INSERT INTO removed_chunks (chunk_id) VALUES (2)");
    db.exec(`UPDATE documents SET analysis_version = ${ANALYSIS_VERSION}`);
    writeCorpus(db, [{ title: "y", chunks: ["heron"] }]);
    reader.refresh();
    assertEquals(reader.term("heron").count, change === "none" ? 2 : 1, change);
    db.close();
  }
});

Deno.test("a phrase whose search was interrupted is found by the next search", () => {
  // So frequent that a word is not read as soon as it is located.
  const { db } = memoryCorpus([{ title: "x", chunks: Array.from({ length: 3000 }, () => "grey heron") }]);
  const interrupted: number[] = [];
  for (let last = 0; last < 4; last++) {
    const reader = new PostingsReader(db);
    reader.refresh();
    let calls = 0;
    reader.checkpoint = () => {
      if (calls++ === last) throw new Error("interrupted");
    };
    try {
      reader.phrase(["grey", "heron"]);
    } catch {
      interrupted.push(last);
    }
    reader.checkpoint = undefined;
    assertEquals(reader.phrase(["grey", "heron"])?.count, 3000);
  }
  // While the words are located, or one of them is read, or FTS5 compares positions.
  assertEquals(interrupted, [0, 1, 2, 3]);
  db.close();
});
