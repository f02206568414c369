import type { DatabaseSync } from "node:sqlite";
import { all, first } from "../store/sql.ts";
import { contribution, type CorpusSize, inverseFrequency } from "./bm25.ts";
import { ChunkLengths, readCorpusSize } from "./corpus.ts";

/** Chunks with a word or phrase, by ascending id, and what it adds to the score of each. */
export interface Postings {
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  /** Entries of the index that were read for it. */
  readonly places: number;
}

/** No chunk. */
export const NONE: Postings = { ids: new Uint32Array(), scores: new Float64Array(), places: 0 };

/** What a word counts in each column. */
const WEIGHTS = { title: 3, heading: 2, body: 1 } as const;
/** By the length of the column's name: cheaper to ask SQLite for than the name, twenty thousand times in one query. */
const WEIGHT_BY_NAME_LENGTH = Float64Array.from(
  { length: 8 },
  (_, length) => Object.entries(WEIGHTS).find(([name]) => name.length === length)?.[1] ?? 0,
);

/** Postings kept in memory, in entries of 12 bytes. */
const MAX_CACHED = 1_000_000;
/** What a word costs by itself, be it in no chunk, in the same measure: a key, two arrays and a place in the map. */
const CACHED_WORD = 64;
/** A phrase in more chunks than this counts once in each, whatever its place and number there. */
const MAX_PHRASE_PLACES = 300;

/**
 * Reads the full-text index. FTS5 keeps it, but its own `bm25()` takes 2 µs for each matching row, ten times of what
 * reading the row's entry takes; so the entries are read and scored here, by the same formula. Scored entries are kept until
 * the database changes.
 */
export class PostingsReader {
  readonly #db: DatabaseSync;
  readonly #lengths = new ChunkLengths();
  readonly #cache = new Map<string, Postings>();
  #cached = 0;
  #version = "";
  #size: CorpusSize = { chunks: 0, averageLength: 1 };

  constructor(db: DatabaseSync) {
    this.#db = db;
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
    this.#size = readCorpusSize(this.#db);
    this.#lengths.refresh(this.#db);
    this.#version = row?.version ?? "";
  }

  /** How often the word stands in the index, all columns and repetitions included. */
  occurrences(stem: string): number {
    const known = this.#cache.get(stem);
    if (known) return known.places;
    return first<{ cnt: number }>(this.#db, "SELECT cnt FROM chunk_words WHERE term = ?", stem)?.cnt ?? 0;
  }

  /** What the word is worth, from about how many chunks it stands in. */
  weight(stem: string): number {
    return inverseFrequency(Math.min(this.occurrences(stem), this.#size.chunks), this.#size.chunks);
  }

  /** Chunks with the word. */
  word(stem: string): Postings {
    return this.#cache.get(stem) ?? this.#keep(stem, this.#readWord(stem));
  }

  /**
   * Chunks with the words one after another, in one column.
   *
   * @param words Words, not stems. They are letters and digits, so that quotes make one FTS5 string of them.
   */
  phrase(words: readonly string[]): Postings {
    const key = `"${words.join(" ")}"`;
    return this.#cache.get(key) ?? this.#keep(key, this.#readPhrase(key));
  }

  #keep(key: string, postings: Postings): Postings {
    const cost = costOf(key, postings);
    if (postings.ids.length > MAX_CACHED / 2) return postings;
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
    // One JSON text for all rows: a row for each would take ten times as long to cross over from SQLite.
    const row = first<{ places: string }>(
      this.#db,
      "SELECT json_group_array(doc * 8 + length(col)) AS places FROM chunk_word_places WHERE term = ?",
      stem,
    );
    const places = JSON.parse(row?.places ?? "[]") as number[];
    const ids = new Uint32Array(places.length);
    const scores = new Float64Array(places.length);
    let count = 0;
    for (const place of places) {
      const id = Math.floor(place / 8);
      if (count === 0 || ids[count - 1] !== id) ids[count++] = id;
      scores[count - 1] = (scores[count - 1] ?? 0) + (WEIGHT_BY_NAME_LENGTH[place - id * 8] ?? 0);
    }
    return this.#score(ids.slice(0, count), scores.slice(0, count), places.length);
  }

  #readPhrase(match: string): Postings {
    const { title, heading, body } = WEIGHTS;
    const rows = all<{ id: number; score: number }>(
      this.#db,
      `SELECT rowid AS id, -bm25(chunks_fts, ${title}, ${heading}, ${body}) AS score
         FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT ${MAX_PHRASE_PLACES + 1}`,
      match,
    );
    if (rows.length === 0) return NONE;
    if (rows.length <= MAX_PHRASE_PLACES) {
      // FTS5's own weight of the phrase, which is next to nothing for one in half of all chunks, is taken out again.
      const { chunks } = this.#size;
      const n = rows.length;
      const theirs = Math.max(Math.log((chunks - n + 0.5) / (n + 0.5)), 1e-6);
      const ours = inverseFrequency(n, chunks) / theirs;
      return {
        ids: Uint32Array.from(rows, ({ id }) => id),
        scores: Float64Array.from(rows, ({ score }) => score * ours),
        places: n,
      };
    }
    const row = first<{ ids: string }>(
      this.#db,
      "SELECT json_group_array(rowid) AS ids FROM chunks_fts WHERE chunks_fts MATCH ?",
      match,
    );
    const ids = Uint32Array.from(JSON.parse(row?.ids ?? "[]") as number[]);
    return this.#score(ids, new Float64Array(ids.length).fill(1), ids.length);
  }

  /** Turns weighted counts into scores, in place. */
  #score(ids: Uint32Array, scores: Float64Array, places: number): Postings {
    const weight = inverseFrequency(ids.length, this.#size.chunks);
    for (let i = 0; i < ids.length; i++) {
      const length = this.#lengths.of(ids[i] as number);
      scores[i] = weight * contribution(scores[i] as number, length, this.#size.averageLength);
    }
    return { ids, scores, places };
  }
}

/** A word in no chunk costs too: there is no end of words that are in none. */
function costOf(key: string, { ids }: Postings): number {
  return ids.length + key.length + CACHED_WORD;
}
