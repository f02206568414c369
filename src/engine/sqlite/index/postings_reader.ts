import type { DatabaseSync } from "node:sqlite";
import { DERIVED_PREFIX } from "../../../analysis/mod.ts";
import { first, stemmedLanguages } from "../store/mod.ts";
import { inverseDocumentFrequency } from "./bm25.ts";
import { ChunkMetadata } from "./chunk_metadata.ts";
import { Fts5Index } from "./fts5_index.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Posting list of a term or phrase: each chunk that contains it once, in any order. */
export interface Postings {
  /** Ids of the chunks. */
  readonly ids: Uint32Array;
  /** Number of occurrences in each chunk, at most 255; those in titles and headings count more. */
  readonly frequencies: Uint8Array;
}

/** An empty posting list. */
export const NO_POSTINGS: Postings = { ids: new Uint32Array(), frequencies: new Uint8Array() };

/** Weight of an occurrence in each column: title, heading, body. */
const COLUMN_WEIGHTS = [3, 2, 1] as const;
const MAX_FREQUENCY = 255;
/** Maximum document frequency of a phrase whose occurrences in titles and headings are weighted. */
const MAX_WEIGHTED_PHRASE = 300;

/** Maximum size of the cache, in postings of 5 bytes. */
const MAX_CACHED_POSTINGS = 2_000_000;
/** Memory of a cache entry without its postings (key, two arrays, map entry), in postings. */
const CACHE_ENTRY_COST = 128;
const INITIAL_CAPACITY = 1024;

const decoder = new TextDecoder();

/**
 * Reads posting lists from the full-text index, and caches them until the database changes.
 */
export class PostingsReader {
  readonly #db: DatabaseSync;
  readonly #index: Fts5Index;
  readonly #derived: Fts5Index;
  readonly #vocabulary: Vocabulary;
  readonly #cache = new Map<string, Postings>();
  #cachedPostings = 0;
  #version = "";
  #languages: readonly string[] | undefined;
  #ids = new Uint32Array(INITIAL_CAPACITY);
  #frequencies = new Uint8Array(INITIAL_CAPACITY);
  /** Length and document of every chunk. */
  readonly chunks: ChunkMetadata;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#index = new Fts5Index(db);
    this.#derived = new Fts5Index(db, "derived_fts");
    this.#vocabulary = new Vocabulary(this.#index);
    this.chunks = new ChunkMetadata(db);
  }

  /** Version of the database; changes with every write. */
  get version(): string {
    return this.#version;
  }

  /** Discards cached data if the database has changed. Call it first in every read transaction. */
  refresh(): void {
    const row = first<{ version: string }>(
      this.#db,
      "SELECT data_version || ':' || total_changes() AS version FROM pragma_data_version",
    );
    if (row?.version === this.#version) return;
    this.#cache.clear();
    this.#cachedPostings = 0;
    this.#index.refresh();
    this.#derived.refresh();
    this.#languages = undefined;
    this.chunks.refresh();
    this.#version = row?.version ?? "";
  }

  /** Returns the inverse document frequency of a term or phrase. */
  idf({ ids }: Postings): number {
    return this.idfOf(ids.length);
  }

  /** Returns the inverse document frequency of terms that this number of chunks contain. */
  idfOf(documentFrequency: number): number {
    const { chunks } = this.chunks.statistics;
    return inverseDocumentFrequency(Math.min(documentFrequency, chunks), chunks);
  }

  /** Languages in which documents have derived terms. */
  get languages(): readonly string[] {
    return this.#languages ??= stemmedLanguages(this.#db);
  }

  /** Returns the chunks that contain a term, which may be a derived one. */
  term(stem: string): Postings {
    return this.#cache.get(stem) ?? this.#keep(stem, this.#readTerm(stem));
  }

  /**
   * Returns the chunks that contain words in sequence, in one column. The frequency of a phrase is the weight
   * of the most important column; of one in more than {@linkcode MAX_WEIGHTED_PHRASE} chunks it is 1.
   *
   * @param words Words, not stems. They consist of letters and digits, so that quotes make them one FTS5
   * string.
   */
  phrase(words: readonly string[]): Postings {
    const match = `"${words.join(" ")}"`;
    return this.#cache.get(match) ?? this.#keep(match, this.#readPhrase(match));
  }

  /** Returns candidates for the terms within an edit distance of a term. */
  similarTerms(term: string, maxEdits: number): string[] {
    return this.#vocabulary.similarTo(term, maxEdits, this.chunks.statistics.chunks);
  }

  /** Returns those of the candidates that are terms. Most have the same first two letters as `word`. */
  existingTerms(word: string, candidates: readonly string[]): string[] {
    return this.#vocabulary.existing(word, candidates, this.chunks.statistics.chunks);
  }

  /** Returns terms with a prefix: all, or as many as were found first. */
  termsWithPrefix(prefix: string, max: number): string[] {
    return this.#vocabulary.withPrefix(prefix, max);
  }

  /** Returns derived terms with a prefix: all, or as many as were found first. */
  derivedTerms(prefix: string, max: number): string[] {
    const terms = new Set<string>();
    if (max <= 0) return [];
    this.#derived.visitTerms(prefix, (term) => terms.add(decoder.decode(term)).size < max);
    return [...terms];
  }

  #keep(key: string, postings: Postings): Postings {
    const cost = costOf(key, postings);
    if (cost > MAX_CACHED_POSTINGS / 2) return postings;
    // A Map iterates in insertion order, so that the oldest entries are evicted first.
    for (const [oldKey, old] of this.#cache) {
      if (this.#cachedPostings + cost <= MAX_CACHED_POSTINGS) break;
      this.#cache.delete(oldKey);
      this.#cachedPostings -= costOf(oldKey, old);
    }
    this.#cache.set(key, postings);
    this.#cachedPostings += cost;
    return postings;
  }

  #readTerm(stem: string): Postings {
    let count = 0;
    const index = stem.startsWith(DERIVED_PREFIX) ? this.#derived : this.#index;
    index.visitRows(stem, COLUMN_WEIGHTS, (id, weight) => {
      if (this.chunks.lengthOf(id) === 0) return;
      if (count === this.#ids.length) this.#grow();
      this.#ids[count] = id;
      this.#frequencies[count++] = Math.min(weight, MAX_FREQUENCY);
    });
    if (count === 0) return NO_POSTINGS;
    return { ids: this.#ids.slice(0, count), frequencies: this.#frequencies.slice(0, count) };
  }

  #grow(): void {
    const [ids, frequencies] = [this.#ids, this.#frequencies];
    this.#ids = new Uint32Array(ids.length * 2);
    this.#ids.set(ids);
    this.#frequencies = new Uint8Array(frequencies.length * 2);
    this.#frequencies.set(frequencies);
  }

  #readPhrase(match: string): Postings {
    const [titleWeight, headingWeight, bodyWeight] = COLUMN_WEIGHTS;
    const ids = this.#matching(match);
    const frequencies = new Uint8Array(ids.length).fill(bodyWeight);
    if (ids.length > 0 && ids.length <= MAX_WEIGHTED_PHRASE) {
      const positions = new Map(ids.map((id, index) => [id, index]));
      const setWeight = (column: string, weight: number) => {
        for (const id of this.#matching(`${column} : ${match}`)) frequencies[positions.get(id) ?? 0] = weight;
      };
      setWeight("heading", headingWeight);
      setWeight("title", titleWeight);
    }
    return { ids: Uint32Array.from(ids), frequencies };
  }

  #matching(match: string): number[] {
    const row = first<{ ids: string }>(
      this.#db,
      "SELECT json_group_array(rowid) AS ids FROM chunks_fts WHERE chunks_fts MATCH ?",
      match,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    return this.chunks.hasHidden ? ids.filter((id) => this.chunks.lengthOf(id) > 0) : ids;
  }
}

/** Counts empty posting lists too, because the number of unknown words is unlimited. */
function costOf(key: string, { ids }: Postings): number {
  return ids.length + key.length + CACHE_ENTRY_COST;
}
