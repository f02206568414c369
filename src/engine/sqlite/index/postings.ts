import type { DatabaseSync } from "node:sqlite";
import { first } from "../store/mod.ts";
import { inverseFrequency } from "./bm25.ts";
import { ChunkTable } from "./chunk_table.ts";
import { Fts5Index } from "./fts5_index.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Chunks with a word or phrase, each once, in no certain order. */
export interface Postings {
  readonly ids: Uint32Array;
  /** How often it stands in each, a place in a title or heading counting more; 255 at most. */
  readonly counts: Uint8Array;
}

/** No chunk. */
export const NONE: Postings = { ids: new Uint32Array(), counts: new Uint8Array() };

/** What a place in each column counts: title, heading, body. */
const WEIGHTS = [3, 2, 1] as const;
const MAX_COUNT = 255;
/** A phrase in more chunks than this is not looked for in titles and headings once more. */
const MAX_WEIGHED = 300;

/** Postings kept in memory, in entries of 5 bytes. */
const MAX_CACHED = 2_000_000;
/** What a word costs by itself, be it in no chunk, in the same measure: a key, two arrays and a place in the map. */
const CACHED_WORD = 128;
/** Room for the postings of one word, to begin with. */
const FIRST_ROOM = 1024;

/**
 * Reads the full-text index. What was read is kept until the database changes.
 */
export class PostingsReader {
  readonly #db: DatabaseSync;
  readonly #index: Fts5Index;
  readonly #vocabulary: Vocabulary;
  readonly #cache = new Map<string, Postings>();
  #cached = 0;
  #version = "";
  #ids = new Uint32Array(FIRST_ROOM);
  #counts = new Uint8Array(FIRST_ROOM);
  /** What is known of every chunk. */
  readonly chunks: ChunkTable;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#index = new Fts5Index(db);
    this.#vocabulary = new Vocabulary(this.#index);
    this.chunks = new ChunkTable(db);
  }

  /** Changes whenever the database does. */
  get version(): string {
    return this.#version;
  }

  /** Takes notice of what has been written. To be called first in every read transaction. */
  refresh(): void {
    const row = first<{ version: string }>(
      this.#db,
      "SELECT data_version || ':' || total_changes() AS version FROM pragma_data_version",
    );
    if (row?.version === this.#version) return;
    this.#cache.clear();
    this.#cached = 0;
    this.#index.refresh();
    this.chunks.refresh();
    this.#version = row?.version ?? "";
  }

  /** The weight of what stands in so many chunks; rare ones more. */
  weightOf(matches: number): number {
    const { chunks } = this.chunks.size;
    return inverseFrequency(Math.min(matches, chunks), chunks);
  }

  /** Chunks with the word. */
  word(stem: string): Postings {
    return this.#cache.get(stem) ?? this.#keep(stem, this.#readWord(stem));
  }

  /**
   * Chunks with the words one after another, in one column. A phrase counts once in each chunk; one in more chunks than
   * {@linkcode MAX_WEIGHED} counts the same in a title as anywhere.
   *
   * @param words Words, not stems. They are letters and digits, so that quotes make one FTS5 string of them.
   */
  phrase(words: readonly string[]): Postings {
    const key = `"${words.join(" ")}"`;
    return this.#cache.get(key) ?? this.#keep(key, this.#readPhrase(key));
  }

  /** Words that are like another one, in all but a few letters. */
  wordsLike(word: string, most: number): string[] {
    return this.#vocabulary.like(word, most, this.chunks.size.chunks);
  }

  /** Words that begin with the given one. */
  wordsBeginning(word: string): string[] {
    return this.#vocabulary.beginningWith(word, this.chunks.size.chunks);
  }

  #keep(key: string, postings: Postings): Postings {
    const cost = costOf(key, postings);
    if (cost > MAX_CACHED / 2) return postings;
    // The oldest entries go first; a Map remembers the order.
    for (const [oldKey, old] of this.#cache) {
      if (this.#cached + cost <= MAX_CACHED) break;
      this.#cache.delete(oldKey);
      this.#cached -= costOf(oldKey, old);
    }
    this.#cache.set(key, postings);
    this.#cached += cost;
    return postings;
  }

  #readWord(stem: string): Postings {
    let count = 0;
    this.#index.read(stem, WEIGHTS, (id, weight) => {
      if (this.chunks.lengthOf(id) === 0) return;
      if (count === this.#ids.length) this.#makeRoom();
      this.#ids[count] = id;
      this.#counts[count++] = Math.min(weight, MAX_COUNT);
    });
    return count === 0 ? NONE : { ids: this.#ids.slice(0, count), counts: this.#counts.slice(0, count) };
  }

  #makeRoom(): void {
    const [ids, counts] = [this.#ids, this.#counts];
    this.#ids = new Uint32Array(ids.length * 2);
    this.#ids.set(ids);
    this.#counts = new Uint8Array(counts.length * 2);
    this.#counts.set(counts);
  }

  #readPhrase(match: string): Postings {
    const ids = this.#matching(match);
    const counts = new Uint8Array(ids.length).fill(WEIGHTS[2]);
    if (ids.length > 0 && ids.length <= MAX_WEIGHED) {
      const places = new Map(ids.map((id, index) => [id, index]));
      const weigh = (column: string, weight: number) => {
        for (const id of this.#matching(`${column} : ${match}`)) counts[places.get(id) ?? 0] = weight;
      };
      weigh("heading", WEIGHTS[1]);
      weigh("title", WEIGHTS[0]);
    }
    return { ids: Uint32Array.from(ids), counts };
  }

  #matching(match: string): number[] {
    const row = first<{ ids: string }>(
      this.#db,
      "SELECT json_group_array(rowid) AS ids FROM chunks_fts WHERE chunks_fts MATCH ?",
      match,
    );
    return JSON.parse(row?.ids ?? "[]") as number[];
  }
}

/** A word in no chunk costs too: there is no end of words that are in none. */
function costOf(key: string, { ids }: Postings): number {
  return ids.length + key.length + CACHED_WORD;
}
