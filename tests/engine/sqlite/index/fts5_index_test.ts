import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  decodeStructure,
  type Segment,
  STRUCTURE_ROWID,
} from "../../../../src/engine/sqlite/index/fts5_format.ts";
import { Fts5Index } from "../../../../src/engine/sqlite/index/fts5_index.ts";
import { Fts5PageIndex } from "../../../../src/engine/sqlite/index/fts5_page_index.ts";
import { Fts5VocabIndex } from "../../../../src/engine/sqlite/index/fts5vocab_index.ts";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import type { TermIndex } from "../../../../src/engine/sqlite/index/term_index.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { registerFunctions } from "../../../../src/engine/sqlite/store/mod.ts";
import { TOKENIZER } from "../../../../src/analysis/stem.ts";
import { type Random, seededRandom } from "../../../support/random.ts";
import { createSchema, writeCorpus } from "../search/corpus.ts";
import { removePages } from "./fts5_pages.ts";
import { readPostings, TestLengths } from "./lengths.ts";

const COLUMNS = ["title", "heading", "body"] as const;
const WEIGHTS = [3, 2, 1];
const MAX_FREQUENCY = 255;

/** Random writes to an index with the store's options. The table `occurrences` reads it through FTS5. */
class Writes {
  readonly db = new DatabaseSync(":memory:");
  readonly live: number[] = [];
  readonly #random: Random;
  readonly #words: readonly string[];
  #lastId = 0;

  constructor(random: Random, words: readonly string[], pageSize: number) {
    this.#random = random;
    this.#words = words;
    this.db.exec(`
      CREATE TABLE source (id INTEGER PRIMARY KEY, title, heading, body);
      CREATE VIRTUAL TABLE chunks_fts USING fts5 (
        title, heading, body, content = 'source', content_rowid = 'id', tokenize = "${TOKENIZER}");
      CREATE VIRTUAL TABLE occurrences USING fts5vocab (chunks_fts, instance);
      INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1), ('pgsz', ${pageSize});
    `);
  }

  command(name: string, value = 0): void {
    this.db.exec(`INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('${name}', ${value})`);
  }

  insert(bodyWords: number): void {
    const { int } = this.#random;
    // Ids grow, sometimes by large steps, so that varints of every length occur.
    this.#lastId += 1 + (int(4) === 0 ? int(10 ** int(7)) : 0);
    const row = [this.#lastId, this.#text(6), this.#text(6), this.#text(bodyWords)];
    this.db.prepare("INSERT INTO source VALUES (?, ?, ?, ?)").run(...row);
    this.db.prepare("INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)").run(...row);
    this.live.push(this.#lastId);
  }

  /** Removes a row: from its pages, or by a delete marker. */
  remove(): void {
    const { int } = this.#random;
    if (this.live.length === 0) return;
    const [id = 0] = this.live.splice(int(this.live.length), 1);
    const marked = int(3) === 0;
    if (marked) this.command("secure-delete", 0);
    this.db.prepare("DELETE FROM chunks_fts WHERE rowid = ?").run(id);
    this.db.prepare("DELETE FROM source WHERE id = ?").run(id);
    if (marked) this.command("secure-delete", 1);
  }

  /** Some words are much more frequent than others. */
  #text(maxWords: number): string {
    const { int } = this.#random;
    const word = () => this.#words[int(1 + int(1 + int(this.#words.length)))] as string;
    return Array.from({ length: int(1 + int(maxWords + 1)) }, word).join(" ");
  }
}

/** Returns the rows with a term and the weight of its occurrences, according to FTS5. */
function expectedRows(db: DatabaseSync, term: string): [number, number][] {
  const found = new Map<number, number>();
  for (const { doc, col } of db.prepare("SELECT doc, col FROM occurrences WHERE term = ?").all(term)) {
    const weight = WEIGHTS[COLUMNS.findIndex((name) => name === col)] as number;
    found.set(Number(doc), (found.get(Number(doc)) ?? 0) + weight);
  }
  return [...found].map(([row, weight]): [number, number] => [row, Math.min(weight, MAX_FREQUENCY)])
    .sort(([a], [b]) => a - b);
}

/** Returns the segments of the index, oldest first. */
function currentSegments(db: DatabaseSync): Segment[] {
  const row = db.prepare("SELECT block FROM chunks_fts_data WHERE id = ?").get(STRUCTURE_ROWID);
  const version = db.prepare("SELECT v FROM chunks_fts_config WHERE k = 'version'").get();
  return decodeStructure(row?.["block"] as Uint8Array, Number(version?.["v"])) ?? [];
}

/** Indexes over the same memory, of the chunks that exist. */
class Indexes {
  readonly pages: Fts5Index;
  readonly vocab: Fts5VocabIndex;
  readonly #memory = new IndexMemory();
  readonly #lengths = new TestLengths();
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.pages = new Fts5Index(db, { memory: this.#memory });
    this.vocab = new Fts5VocabIndex(db, { memory: this.#memory });
  }

  refresh(live: Iterable<number>, options?: { readonly isOnlyAdded: boolean }): void {
    this.#lengths.set(live);
    this.#memory.update(this.#lengths);
    this.pages.refresh(options);
  }

  /** Returns an index over the same memory that gets its segments later. */
  ofSegments(): Fts5PageIndex {
    return new Fts5PageIndex(this.#db, [], { memory: this.#memory });
  }

  /** Returns the terms with each prefix, as visited. */
  terms(index: TermIndex, prefixes: readonly string[]): string[] {
    const found: string[] = [];
    index.visitTerms(prefixes, (term, prefix) => found.push(`${prefix} ${term}`));
    return found;
  }

  /** Returns the rows with a term. */
  rows(index: TermIndex, term: string): [number, number][] {
    return readPostings(this.#memory, () => index.locate([term]).forEach((located) => index.read(located)))
      .sort(([a], [b]) => a - b);
  }
}

/** Words that stemming does not change. */
const WORDS = [
  ...[
    "a",
    ...[14, 17, 25].map((length) => `${"q".repeat(length)}${length}`),
    "ab",
    "abc",
    "abcd",
    "abcde",
    "abd",
    "b",
    "ba",
    "z",
  ],
  ...["é", "zürich", "東", "京", "🚀", "हिन्द", "ы", "\u{1f9ff}", "0", "00", "007"],
  ...Array.from({ length: 40 }, (_, n) => `w${"x".repeat(n % 7)}${n}`),
  "l".repeat(300),
].map((word) => word.normalize("NFD").replace(/\u0301|\u0308/g, ""));
const ABSENT = ["", "aa", "abcdef", "w", "wx", "zz", "東京", "ㅎ", "none", "\u{10ffff}"];

for (const [pageSize, bodyWords] of [[64, 60], [200, 400], [4050, 60], [4050, 2000]] as const) {
  const name = `pages of ${pageSize} bytes and rows of up to ${bodyWords} words`;
  Deno.test(`the pages give the same rows as fts5vocab, with ${name}`, () => {
    for (let seed = 1; seed <= 2; seed++) {
      const random = seededRandom(seed * pageSize + bodyWords);
      const writes = new Writes(random, WORDS, pageSize);
      const indexes = new Indexes(writes.db);
      for (let round = 0; round < 12; round++) {
        writes.db.exec("BEGIN");
        for (let n = random.int(20); n >= 0; n--) writes.insert(bodyWords);
        const removed = random.int(3) > 0 ? random.int(12) : 0;
        for (let n = removed; n > 0; n--) writes.remove();
        if (random.int(4) === 0) writes.command("merge", random.pick([-3, 1, 5, 50]));
        if (random.int(12) === 0) writes.command("optimize");
        writes.db.exec("COMMIT");
        indexes.refresh(writes.live, { isOnlyAdded: removed === 0 });
        for (const term of [...WORDS, ...ABSENT]) {
          const where = `seed ${seed}, round ${round}, ${JSON.stringify(term.slice(0, 10))}`;
          const expected = expectedRows(writes.db, term);
          for (const index of [indexes.pages, indexes.vocab]) {
            assertEquals(indexes.rows(index, term), expected, where);
          }
        }
        // With the byte of the main index, keys of 13, 16 and 20 bytes are in the filters.
        const long = [12, 14, 15, 19, 40].map((length) => "q".repeat(length));
        const prefixes = ["a", "ab", "wx", "w", "zz", "東", ...long];
        // A page may have terms of deleted rows only.
        const found = new Set(indexes.terms(indexes.pages, prefixes));
        const missing = indexes.terms(indexes.vocab, prefixes).filter((term) => !found.has(term));
        assertEquals(missing, [], `seed ${seed}, round ${round}`);
      }
      writes.db.close();
    }
  });
}

Deno.test("a doclist may fill many pages, start at the end of a page, and be the only one", () => {
  const random = seededRandom(1);
  const writes = new Writes(random, ["same"], 64);
  const indexes = new Indexes(writes.db);
  for (let n = 0; n < 500; n++) {
    writes.insert(n % 50 === 0 ? 400 : 3);
    if (n % 5 === 4) writes.remove();
  }
  for (const command of ["", "optimize"]) {
    if (command) writes.command(command);
    indexes.refresh(writes.live);
    assertEquals(indexes.rows(indexes.pages, "same"), expectedRows(writes.db, "same"), command);
    assertEquals(indexes.rows(indexes.pages, "sam"), []);
    assertEquals(indexes.rows(indexes.pages, "samf"), []);
  }
  writes.db.close();
});

Deno.test("pages stay in memory while segments are added, unless rows were removed", () => {
  const writes = new Writes(seededRandom(7), ["heron"], 64);
  const indexes = new Indexes(writes.db);
  const heron = () => indexes.rows(indexes.pages, "heron").map(([row]) => row);
  for (let n = 0; n < 3; n++) writes.insert(5);
  indexes.refresh(writes.live);
  assertEquals(heron(), writes.live);
  // A page that is read again would be missing.
  removePages(writes.db);
  writes.insert(5);
  indexes.refresh(writes.live, { isOnlyAdded: true });
  assertEquals(heron(), writes.live);
  writes.insert(5);
  indexes.refresh(writes.live, { isOnlyAdded: false });
  assertEquals(heron(), writes.live.slice(-2));
  writes.db.close();
});

Deno.test("more segments are added than a directory has capacity for", () => {
  const writes = new Writes(seededRandom(8), WORDS, 64);
  const indexes = new Indexes(writes.db);
  // Without merges FTS5 does not count its writes, so that Fts5Index reads all segments again.
  writes.command("automerge", 0);
  writes.command("crisismerge", 1000);
  const index = indexes.ofSegments();
  let known = 0;
  for (let n = 0; n < 150; n++) {
    writes.insert(n % 40 === 39 ? 400 : 20);
    indexes.refresh(writes.live);
    const segments = currentSegments(writes.db);
    index.add(segments.slice(known));
    known = segments.length;
    const term = WORDS[n % WORDS.length] as string;
    assertEquals(indexes.rows(index, term), expectedRows(writes.db, term), `${n}`);
  }
  assert(known > 130, `${known} segments`);
  for (const term of WORDS) assertEquals(indexes.rows(index, term), expectedRows(writes.db, term));
  writes.db.close();
});

Deno.test("more pages are added than a directory has capacity for", () => {
  const writes = new Writes(seededRandom(11), [], 64);
  const indexes = new Indexes(writes.db);
  const terms: string[] = [];
  for (let n = 0; n < 3; n++) {
    const words = Array.from({ length: 8000 }, (_, at) => `w${(3 * at + n).toString(36).padStart(4, "0")}0`);
    const id = writes.live.push(writes.live.length + 1);
    writes.db.prepare("INSERT INTO chunks_fts (rowid, body) VALUES (?, ?)").run(id, words.join(" "));
    indexes.refresh(writes.live, { isOnlyAdded: n > 0 });
    terms.push(...words.filter((_, at) => at % 400 === 0));
    for (const term of terms) assertEquals(indexes.rows(indexes.pages, term).length, 1, `${n} ${term}`);
  }
  writes.db.close();
});

Deno.test("existing terms are found in an index of more pages than have a filter in front", () => {
  const writes = new Writes(seededRandom(11), [], 64);
  const indexes = new Indexes(writes.db);
  const add = (body: string, isOnlyAdded: boolean) => {
    const id = writes.live.push(writes.live.length + 1);
    writes.db.prepare("INSERT INTO chunks_fts (rowid, body) VALUES (?, ?)").run(id, body);
    indexes.refresh(writes.live, { isOnlyAdded });
  };
  const word = (n: number) => `w${n.toString(36).padStart(4, "0")}0`;
  writes.db.exec("BEGIN");
  for (let n = 0; n < 8000; n += 1000) {
    add(Array.from({ length: 1000 }, (_, at) => word(7 * (n + at))).join(" "), false);
  }
  writes.db.exec("COMMIT");
  indexes.refresh(writes.live);
  const terms = [...Array.from({ length: 5000 }, (_, n) => word(n)), "heron", "egret"];
  const existing = () => new Set(indexes.pages.existing(terms));
  const expected = new Set(terms.slice(0, 5000).filter((_, n) => n % 7 === 0));
  assertEquals(existing(), expected, "without filters");
  assertEquals(existing(), expected, "with filters");
  add("heron", true);
  assertEquals(existing(), expected.add("heron"), "a segment was added");
  assertEquals(indexes.pages.existing(["heron", "heron"]), ["heron"], "each term once");
  writes.command("optimize");
  add("egret", false);
  assertEquals(existing(), expected.add("egret"), "segments were merged");
  writes.db.close();
});

Deno.test("an empty index, and one whose rows were all deleted, has no terms", () => {
  const writes = new Writes(seededRandom(5), ["heron"], 64);
  const indexes = new Indexes(writes.db);
  assertEquals(indexes.rows(indexes.pages, "heron"), [], "before the first refresh");
  indexes.refresh([1]);
  assertEquals(indexes.rows(indexes.pages, "heron"), []);
  for (let n = 0; n < 30; n++) writes.insert(20);
  while (writes.live.length > 0) writes.remove();
  indexes.refresh([]);
  assertEquals(indexes.rows(indexes.pages, "heron"), []);
  writes.db.close();
});

/**
 * Rewrites the structure record in the format with tombstones, which SQLite reads and our decoder rejects.
 */
function forgeUnknownFormat(db: DatabaseSync): void {
  const { record } = db.prepare("SELECT block AS record FROM chunks_fts_data WHERE id = 10").get() as {
    record: Uint8Array;
  };
  assert(decodeStructure(record, 5), "known before");
  const forged = [...record.slice(0, 4), 0xff, 0, 0, 1];
  let at = 4;
  const copy = () => {
    const value = record[at++] as number;
    assert(value < 128, "a varint of one byte");
    forged.push(value);
    return value;
  };
  const levels = copy();
  copy();
  // The number of writes may take more bytes.
  while ((record[at] as number) >= 128) forged.push(record[at++] as number);
  copy();
  for (let level = 0; level < levels; level++) {
    copy();
    for (let segments = copy(); segments > 0; segments--) {
      for (let field = 0; field < 3; field++) copy();
      forged.push(0, 0, 0, 0, 0); // no origin, no tombstones
    }
  }
  forged.push(0);
  db.prepare("UPDATE chunks_fts_data SET block = ? WHERE id = 10").run(Uint8Array.from(forged));
  assertEquals(decodeStructure(Uint8Array.from(forged), 5), undefined);
}

Deno.test("an index of an unknown format gives the same results, through fts5vocab", async () => {
  const dir = await Deno.makeTempDir();
  // Shadow tables cannot be modified in defensive mode.
  const writer = new DatabaseSync(`${dir}/kb.db`, { defensive: false } as { readOnly?: boolean });
  const random = seededRandom(3);
  const text = () => Array.from({ length: 30 }, () => WORDS[random.int(WORDS.length)]).join(" ");
  const searchAll = async () => {
    const db = new DatabaseSync(`${dir}/kb.db`, { readOnly: true });
    registerFunctions(db);
    db.exec("PRAGMA query_only = ON");
    const searcher = new Searcher({ db });
    const responses = [];
    for (const query of ["abc wx1", '"abc b"', "wxxxxxx6 -ab", "zurich", "retreival engine", "kettel"]) {
      responses.push(await searcher.search({ query, top: 20 }));
    }
    assertEquals(db.prepare("PRAGMA query_only").get()?.["query_only"], 1);
    db.close();
    return responses;
  };
  try {
    writer.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
    createSchema(writer);
    writeCorpus(writer, Array.from({ length: 50 }, () => ({ title: text(), chunks: [text(), text()] })));
    writeCorpus(writer, [{ title: "retrieval", chunks: ["a retrieval engine", "kettles and kettle"] }]);
    const expected = await searchAll();
    assertEquals(expected.filter(({ corrections }) => corrections?.length).length, 2);
    forgeUnknownFormat(writer);
    assertEquals(await searchAll(), expected);
  } finally {
    writer.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("Fts5VocabIndex: creates its tables again when SQLite has rolled back their transaction", () => {
  using db = new DatabaseSync(":memory:");
  createSchema(db);
  writeCorpus(db, [{ title: "Birds", chunks: [{ text: "sky" }] }]);
  db.exec("BEGIN");
  const index = new Fts5VocabIndex(db, { memory: new IndexMemory() });
  db.exec("ROLLBACK");
  assertEquals(index.existing(["sky", "sea"]), ["sky"]);
});
