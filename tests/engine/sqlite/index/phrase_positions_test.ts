import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Fts5Index } from "../../../../src/engine/sqlite/index/fts5_index.ts";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { readPhrasePositions } from "../../../../src/engine/sqlite/index/phrase_positions.ts";
import { TOKENIZER } from "../../../../src/analysis/stem.ts";
import { seededRandom } from "../../../support/random.ts";
import { TestLengths } from "./lengths.ts";

const COLUMNS = ["title", "heading", "body"] as const;
const WEIGHTS = [3, 2, 1];

/** An index of random texts of a few words, with small pages, so that position lists are on several of them. */
function randomIndex(seed: number): { db: DatabaseSync; live: number[] } {
  const { int, pick } = seededRandom(seed);
  const db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (title, heading, body, tokenize = "${TOKENIZER}");
    INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1), ('pgsz', ${64 + 200 * int(2)});
  `);
  const text = (max: number) => Array.from({ length: int(max) }, () => pick(["a", "b", "c", "dd"])).join(" ");
  const insert = db.prepare("INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)");
  let live: number[] = [];
  for (let id = 1; id <= 60; id++) {
    insert.run(id, text(4), text(4), text(id % 10 === 0 ? 800 : 12));
    live.push(id);
    if (int(4) === 0) {
      const deleted = pick(live);
      db.exec(`DELETE FROM chunks_fts WHERE rowid = ${deleted}`);
      live = live.filter((other) => other !== deleted);
    }
  }
  return { db, live };
}

/** Returns the rows with a phrase and the weight of the most important column, according to FTS5. */
function expected(db: DatabaseSync, phrase: string): [id: number, weight: number][] {
  const found = new Map<number, number>();
  for (const [at, column] of [...COLUMNS.entries()].reverse()) {
    const rows = db.prepare("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?").all(
      `${column} : "${phrase}"`,
    );
    for (const { rowid } of rows) found.set(Number(rowid), WEIGHTS[at] as number);
  }
  return [...found].sort(([a], [b]) => a - b);
}

Deno.test("the positions in the pages give the same phrases as FTS5", () => {
  for (const seed of [1, 2, 3, 4]) {
    const { db, live } = randomIndex(seed);
    const memory = new IndexMemory();
    const lengths = new TestLengths();
    lengths.set(live);
    memory.update(lengths);
    const index = new Fts5Index(db, { memory });
    index.refresh();
    const { int, pick } = seededRandom(seed);
    const shuffled = <T>(values: readonly T[]) =>
      values.map((value) => ({ value, order: int(1000) })).sort((a, b) => a.order - b.order).map((
        { value },
      ) => value);
    for (let round = 0; round < 25; round++) {
      const terms = Array.from({ length: 1 + int(4) }, () => pick(["a", "b", "c", "dd", "none"]));
      const words = shuffled(
        index.locate(terms).map((located, offset) => ({ located, offset, postings: 0 })),
      );
      // In any order, as after a chunk was indexed again.
      const candidates = shuffled(live);
      const read = readPhrasePositions(index, words, { memory, candidates, checkpoint: undefined });
      assert(read?.isChecked);
      const { count } = read;
      const ids = [...new Uint32Array(memory.bytes.buffer, memory.scratch, count)];
      const weights = memory.bytes.subarray(memory.scratch + 4 * memory.maxPostings);
      const found = ids.map((id, at): [number, number] => [id, weights[at] as number]);
      const phrase = terms.join(" ");
      assertEquals(found.sort(([a], [b]) => a - b), expected(db, phrase), `${phrase}, seed ${seed}`);
      assertEquals(memory.kernel.candidateOf(BigInt(live[0] ?? 1)), 0, "no candidate remains");
    }
    db.close();
  }
});
