import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Fts5Index } from "../../../../src/engine/sqlite/index/fts5_index.ts";
import { TOKENIZER } from "../../../../src/analysis/stem.ts";
import { type Random, seededRandom } from "../../../support/random.ts";

const COLUMNS = ["title", "heading", "body"] as const;
const WEIGHTS = [7, 5, 2];

/** Random writes to an index such as the store's, which FTS5 itself can be asked about. */
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
      CREATE VIRTUAL TABLE places USING fts5vocab (chunks_fts, instance);
      INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1), ('pgsz', ${pageSize});
    `);
  }

  command(name: string, value = 0): void {
    this.db.exec(`INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('${name}', ${value})`);
  }

  insert(bodyWords: number): void {
    const { int } = this.#random;
    // Ids grow, by leaps too: each length of a varint occurs.
    this.#lastId += 1 + (int(4) === 0 ? int(10 ** int(7)) : 0);
    const row = [this.#lastId, this.#text(6), this.#text(6), this.#text(bodyWords)];
    this.db.prepare("INSERT INTO source VALUES (?, ?, ?, ?)").run(...row);
    this.db.prepare("INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)").run(...row);
    this.live.push(this.#lastId);
  }

  /** Removes a row: from the pages themselves, or by a marker. */
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
  #text(most: number): string {
    const { int } = this.#random;
    const word = () => this.#words[int(1 + int(1 + int(this.#words.length)))] as string;
    return Array.from({ length: int(1 + int(most + 1)) }, word).join(" ");
  }
}

/** Rows with a term and what its places weigh, as FTS5 says. */
function expectedRows(db: DatabaseSync, term: string): [number, number][] {
  const found = new Map<number, number>();
  for (const { doc, col } of db.prepare("SELECT doc, col FROM places WHERE term = ?").all(term)) {
    const weight = WEIGHTS[COLUMNS.findIndex((name) => name === col)] as number;
    found.set(Number(doc), (found.get(Number(doc)) ?? 0) + weight);
  }
  return [...found].sort(([a], [b]) => a - b);
}

/** The same from the pages; rows that are gone may be among them, but none twice. */
function readRows(index: Fts5Index, term: string, live: ReadonlySet<number>): [number, number][] {
  const found: [number, number][] = [];
  index.read(term, WEIGHTS, (row, weight) => {
    if (live.has(row)) found.push([row, weight]);
  });
  return found.sort(([a], [b]) => a - b);
}

/** Stems as they are, so that a word and its term are the same. */
const WORDS = [
  ...["a", "ab", "abc", "abcd", "abcde", "abd", "b", "ba", "z"],
  ...["é", "zürich", "東", "京", "🚀", "हिन्द", "ы", "\u{1f9ff}", "0", "00", "007"],
  ...Array.from({ length: 40 }, (_, n) => `w${"x".repeat(n % 7)}${n}`),
  "l".repeat(300),
].map((word) => word.normalize("NFD").replace(/\u0301|\u0308/g, ""));
const ABSENT = ["", "aa", "abcdef", "w", "wx", "zz", "東京", "ㅎ", "none", "\u{10ffff}"];

for (const [pageSize, bodyWords] of [[64, 60], [200, 400], [4050, 60], [4050, 2000]] as const) {
  const name = `pages of ${pageSize} bytes and rows of up to ${bodyWords} words`;
  Deno.test(`what is read of the index is what FTS5 says, with ${name}`, () => {
    for (let seed = 1; seed <= 3; seed++) {
      const random = seededRandom(seed * pageSize + bodyWords);
      const writes = new Writes(random, WORDS, pageSize);
      const index = new Fts5Index(writes.db);
      for (let round = 0; round < 12; round++) {
        writes.db.exec("BEGIN");
        for (let n = random.int(20); n >= 0; n--) writes.insert(bodyWords);
        if (random.int(3) > 0) { for (let n = random.int(12); n > 0; n--) writes.remove(); }
        if (random.int(4) === 0) writes.command("merge", random.pick([-3, 1, 5, 50]));
        if (random.int(12) === 0) writes.command("optimize");
        writes.db.exec("COMMIT");
        index.refresh();
        const live = new Set(writes.live);
        for (const term of [...WORDS, ...ABSENT]) {
          const where = `seed ${seed}, round ${round}, ${JSON.stringify(term.slice(0, 10))}`;
          assertEquals(readRows(index, term, live), expectedRows(writes.db, term), where);
        }
      }
      writes.db.close();
    }
  });
}

Deno.test("a term's rows may fill many pages, begin at the end of one, and be all there is", () => {
  const random = seededRandom(1);
  const writes = new Writes(random, ["same"], 64);
  const index = new Fts5Index(writes.db);
  for (let n = 0; n < 500; n++) {
    writes.insert(n % 50 === 0 ? 400 : 3);
    if (n % 5 === 4) writes.remove();
  }
  for (const command of ["", "optimize"]) {
    if (command) writes.command(command);
    index.refresh();
    assertEquals(readRows(index, "same", new Set(writes.live)), expectedRows(writes.db, "same"), command);
    assertEquals(readRows(index, "sam", new Set(writes.live)), []);
    assertEquals(readRows(index, "samf", new Set(writes.live)), []);
  }
  writes.db.close();
});

Deno.test("an index without rows, and one whose rows are all gone, has no term", () => {
  const writes = new Writes(seededRandom(5), ["heron"], 64);
  const index = new Fts5Index(writes.db);
  assertEquals(readRows(index, "heron", new Set([1])), [], "before the first refresh");
  index.refresh();
  assertEquals(readRows(index, "heron", new Set([1])), []);
  for (let n = 0; n < 30; n++) writes.insert(20);
  while (writes.live.length > 0) writes.remove();
  index.refresh();
  assertEquals(readRows(index, "heron", new Set()), []);
  writes.db.close();
});

Deno.test("an index of a format that is not known is refused, not misread", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (body, content = '', contentless_delete = 1);
    INSERT INTO chunks_fts (rowid, body) VALUES (1, 'heron');
  `);
  assertThrows(() => new Fts5Index(db).refresh(), Error, "format");
  db.close();
});
