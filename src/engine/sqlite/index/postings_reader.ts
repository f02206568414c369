import type { DatabaseSync } from "node:sqlite";
import { DERIVED_PREFIX, stems as stemsOf } from "../../../analysis/mod.ts";
import {
  changedRows,
  dataVersion,
  first,
  hasDocumentsToAnalyze,
  lastDeletion,
  stemmedLanguages,
} from "../store/read_only.ts";
import { inverseDocumentFrequency } from "./bm25.ts";
import { ChunkMetadata } from "./chunk_metadata.ts";
import { COLUMN_WEIGHTS } from "./column_weights.ts";
import { Fts5Index, type IndexChange } from "./fts5_index.ts";
import { IndexMemory } from "./index_memory.ts";
import { type PhraseCandidates, readPhrasePositions } from "./phrase_positions.ts";
import { chunksWithPhrase } from "./phrase_texts.ts";
import { NO_POSTINGS, type Postings } from "./postings.ts";
import { PostingsCache } from "./postings_cache.ts";
import type { Checkpoint, LocatedTerm } from "./term_index.ts";
import { type ExpansionLimits, PrefixExpansions } from "./prefix_expansions.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Maximum document frequency of a phrase whose occurrences in titles and headings are weighted. */
const MAX_WEIGHTED_PHRASE = 300;

/** Maximum number of chunks whose text is compared with a phrase, in place of the positions in the index. */
const MAX_TEXTS = 24;
/** Maximum number of postings of the words of a phrase whose positions are read rather than a few texts. */
const MAX_TEXT_POSTINGS = 80_000;
/** Maximum number of postings of the words of a phrase that are read to find the chunks with all of them. */
const MAX_PHRASE_POSTINGS = 1_000_000;
/** Maximum number of chunks in which FTS5 compares the positions of the words of a phrase: about 50 ms. */
const MAX_PHRASE_CANDIDATES = 20_000;
/** Typical size of a posting with its positions, in an English text. */
const BYTES_PER_POSTING = 6;
/** Maximum number of terms whose document frequencies are known. */
const MAX_FREQUENCIES = 16_384;
/** Maximum number of terms that are located at once. */
const MAX_LOCATED_AT_ONCE = 32;
/** Maximum size of the doclists of a term that is read as soon as it is located. */
const MAX_RARE_BYTES = 2048;
/** Number of bits of the integers of bit operations. */
const MAX_BITS = 32;
/** First character of the key of a phrase, which no term has. */
const PHRASE_MARK = '"';
/** Maximum number of terms whose places in the index are known. */
const MAX_LOCATED = 4096;
/** Maximum number of terms and phrases that were compared with added texts: as many as there are posting lists. */
const MAX_SETTLED = 16_384;

/**
 * Reads posting lists from the full-text index, and caches them until the texts change.
 */
export class PostingsReader {
  readonly #db: DatabaseSync;
  readonly #index: Fts5Index;
  readonly #derived: Fts5Index;
  readonly #expansions: PrefixExpansions;
  readonly #vocabulary: Vocabulary;
  readonly #maxPhraseCandidates: number;
  readonly #cache: PostingsCache;
  readonly #located = new Map<string, LocatedTerm>();
  /** Document frequencies of terms that have been read. */
  readonly #frequencies = new Map<string, number>();
  /** Grows with each change of the indexes. */
  #revision = 0;
  /** Revision of the cached data of a term or phrase that {@linkcode #settled} does not have. */
  #oldestRevision = 0;
  /** Revisions of cached data of terms and phrases that were used since. */
  readonly #settled = new Map<string, number>();
  #version = "";
  /** Last entry in the log of removed chunks, which were removed from the index, too. */
  #lastRemoval = -1;
  /** Whether documents were to be analyzed again, which replaces their terms in the index. */
  #wasAnalyzing = true;
  #derivedVersion = 0;
  #earlierChanges = -1;
  #languages: readonly string[] | undefined;
  /** Memory of the kernel, with the posting lists. */
  readonly memory = new IndexMemory();
  /** Called while posting lists are read; throws to interrupt a search. */
  checkpoint: Checkpoint | undefined;
  /** Length and document of every chunk. */
  readonly chunks: ChunkMetadata;

  /**
   * @param options.maxPhraseCandidates Maximum number of chunks in which FTS5 compares the positions of the words of a
   * phrase. @default {20_000}
   */
  constructor(
    db: DatabaseSync,
    { maxPhraseCandidates = MAX_PHRASE_CANDIDATES }: { readonly maxPhraseCandidates?: number } = {},
  ) {
    this.#db = db;
    this.#maxPhraseCandidates = maxPhraseCandidates;
    const { memory } = this;
    this.#index = new Fts5Index(db, { memory });
    this.#derived = new Fts5Index(db, { memory, table: "derived_fts" });
    this.#expansions = new PrefixExpansions(this.#derived);
    this.#cache = new PostingsCache(memory);
    this.#vocabulary = new Vocabulary(this.#index);
    this.chunks = new ChunkMetadata(db);
  }

  /** Version of the database; changes with every write. */
  get version(): string {
    return this.#version;
  }

  /** Discards cached data if the texts have changed. Call it first in every read transaction. */
  refresh(): void {
    const version = `${dataVersion(this.#db)}:${changedRows(this.#db)}`;
    // Only here: a search needs what it has located.
    if (this.#settled.size > MAX_SETTLED) this.#forgetUnused();
    if (version === this.#version) return;
    // A text of stop words has a language without derived terms.
    this.#languages = undefined;
    const lastRemoval = lastDeletion(this.#db);
    const isAnalyzing = hasDocumentsToAnalyze(this.#db);
    const isOnlyAdded = lastRemoval === this.#lastRemoval && !this.#wasAnalyzing;
    const revision = this.#revision + 1;
    // Most commits of jobs and vectors leave the texts unchanged. At once: a later step may fail.
    this.#apply(this.#index.refresh({ isOnlyAdded, revision }), revision);
    const derivedChange = this.#derived.refresh({ isOnlyAdded, revision });
    this.#apply(derivedChange, revision);
    if (derivedChange !== "none") {
      this.#expansions.clear();
      this.#derivedVersion++;
    }
    this.chunks.refresh();
    if (this.memory.update(this.chunks) || this.chunks.earlierChanges !== this.#earlierChanges) {
      this.#clear();
      this.#earlierChanges = this.chunks.earlierChanges;
    }
    this.#lastRemoval = lastRemoval;
    this.#wasAnalyzing = isAnalyzing;
    this.#version = version;
  }

  /** Reads the directories of the index, which the first search would do. Call it in a read transaction. */
  loadDirectories(): void {
    this.refresh();
    this.#index.loadDirectory();
    this.#derived.loadDirectory();
  }

  #apply(change: IndexChange, revision: number): void {
    if (change === "none") return;
    this.#revision = revision;
    if (change === "any") this.#clear();
  }

  /**
   * Forgets a term if texts with it were added since its data was read, and a phrase if any were. Call it before its data
   * is used. A search needs a few dozen terms, and a commit may add hundreds, most of which no search needs before the
   * next one.
   */
  #settle(key: string): void {
    if (this.#oldestRevision === this.#revision) return;
    const since = this.#settled.get(key) ?? this.#oldestRevision;
    if (since === this.#revision) return;
    const isKept = !key.startsWith(PHRASE_MARK) && !this.#indexOf(key).hasAdded(key, since);
    if (!isKept) {
      this.#located.delete(key);
      this.#frequencies.delete(key);
      this.#cache.delete(key);
    }
    this.#settled.set(key, this.#revision);
  }

  /** Forgets what was not used since the last texts were added. */
  #forgetUnused(): void {
    const isUsed = (key: string) => this.#settled.get(key) === this.#revision;
    for (const map of [this.#located, this.#frequencies, this.#cache]) {
      for (const key of map.keys()) if (!isUsed(key)) map.delete(key);
    }
    this.#settled.clear();
    this.#oldestRevision = this.#revision;
  }

  #indexOf(stem: string): Fts5Index {
    return stem.startsWith(DERIVED_PREFIX) ? this.#derived : this.#index;
  }

  #clear(): void {
    this.#settled.clear();
    this.#oldestRevision = this.#revision;
    this.#located.clear();
    this.#frequencies.clear();
    this.#expansions.clear();
    this.#cache.clear();
  }

  /** Returns the inverse document frequency of a term or phrase. */
  idf({ count }: Postings): number {
    return this.idfOf(count);
  }

  /** Returns the inverse document frequency of terms that this number of chunks contain. */
  idfOf(documentFrequency: number): number {
    const { chunks } = this.chunks.statistics;
    return inverseDocumentFrequency(Math.min(documentFrequency, chunks), chunks);
  }

  /**
   * Returns the inverse document frequency of a term. That of a term that no search has read, because it is too
   * frequent, is estimated.
   */
  idfOfTerm(stem: string): number {
    this.#settle(stem);
    const known = this.#frequencies.get(stem);
    if (known !== undefined) return this.idfOf(known);
    if (!this.#located.has(stem)) this.#locateAll(new Set([stem]));
    return this.idfOf(this.#estimateOf(stem));
  }

  /** Languages in which documents have derived terms. */
  get languages(): readonly string[] {
    return this.#languages ??= stemmedLanguages(this.#db);
  }

  /** Changes with the derived terms. */
  get derivedVersion(): number {
    return this.#derivedVersion;
  }

  /** Returns those of some derived terms that the index contains. The others are not kept in memory. */
  existingDerivedTerms(terms: readonly string[]): Set<string> {
    const existing = new Set<string>();
    const isFull = this.#located.size + terms.length > MAX_LOCATED;
    if (isFull) this.#located.clear();
    this.#locate(this.#derived, terms, (located) => {
      if (located.isAbsent) return;
      existing.add(located.term);
      this.#keep(located);
    });
    return existing;
  }

  /**
   * Estimates the number of postings of terms, without reading them.
   *
   * @returns Estimates by term, of about one posting per occurrence in a chunk.
   */
  estimate(stems: Iterable<string>): Map<string, number> {
    const all = new Set(stems);
    this.#locateAll(all);
    const estimates = new Map<string, number>();
    for (const stem of all) {
      estimates.set(stem, this.#estimateOf(stem));
    }
    return estimates;
  }

  #estimateOf(stem: string): number {
    return Math.ceil((this.#located.get(stem)?.bytes ?? 0) / BYTES_PER_POSTING);
  }

  #locateAll(stems: ReadonlySet<string>): void {
    const words: string[] = [];
    const derived: string[] = [];
    for (const stem of stems) {
      this.#settle(stem);
      if (!this.#located.has(stem)) (stem.startsWith(DERIVED_PREFIX) ? derived : words).push(stem);
    }
    if (this.#located.size + words.length + derived.length > MAX_LOCATED) {
      this.#located.clear();
      if (words.length + derived.length < stems.size) return this.#locateAll(stems);
    }
    this.#locate(this.#derived, derived, (located) => this.#keep(located));
    this.#locate(this.#index, words, (located) => this.#keep(located));
  }

  #locate(index: Fts5Index, stems: readonly string[], visit: (located: LocatedTerm) => void): void {
    for (let at = 0; at < stems.length; at += MAX_LOCATED_AT_ONCE) {
      this.checkpoint?.();
      for (const located of index.locate(stems.slice(at, at + MAX_LOCATED_AT_ONCE))) visit(located);
    }
  }

  /** Keeps the place of a term, and reads a rare one at once, while its pages are in memory. */
  #keep(located: LocatedTerm): void {
    this.#settle(located.term);
    this.#located.set(located.term, located);
    if (!located.isAbsent && located.bytes <= MAX_RARE_BYTES) this.#postingsOf(located.term);
  }

  /** Returns the chunks that contain a term, which may be a derived one. */
  term(stem: string): Postings {
    this.#settle(stem);
    const known = this.#cache.get(stem);
    if (known) return known;
    if (!this.#located.has(stem)) this.#locateAll(new Set([stem]));
    if (this.#located.get(stem)?.isAbsent) return NO_POSTINGS;
    return this.#postingsOf(stem);
  }

  /** Whether the chunks that contain a term are known without reading the index. */
  isInMemory(stem: string): boolean {
    this.#settle(stem);
    const known = this.#cache.get(stem);
    if (known) return known.address > 0 || known.count === 0;
    return this.#located.get(stem)?.isAbsent ?? false;
  }

  #postingsOf(stem: string): Postings {
    return this.#cache.get(stem) ?? this.#cache.add(stem, () => this.#readTerm(stem));
  }

  /** Returns the ids of a posting list. */
  idsOf(postings: Postings): Uint32Array<ArrayBuffer> {
    const { kernel, scratch } = this.memory;
    kernel.unpackIds(postings.load(), postings.count, scratch);
    return new Uint32Array(this.memory.bytes.buffer, scratch, postings.count).slice();
  }

  /**
   * Returns which of some chunks are in a posting list, as bits: the lowest one is that of the first chunk.
   *
   * @param chunks At most 32.
   */
  bitsOf(postings: Postings, chunks: readonly number[]): number {
    if (chunks.length > MAX_BITS) {
      throw new RangeError(
        `Cannot look up chunks: at most ${MAX_BITS} fit in a number, got ${chunks.length}`,
      );
    }
    // First: reading the list again would overwrite the ids, and may grow the memory.
    const list = postings.load();
    const { kernel, numbers, scratch } = this.memory;
    numbers.set(chunks, scratch >> 2);
    return kernel.findIds(list, postings.count, scratch, chunks.length);
  }

  /**
   * Returns the chunks that contain words in sequence, in one column. The frequency of a phrase is the weight
   * of the most important column; of one in more than {@linkcode MAX_WEIGHTED_PHRASE} chunks it is 1.
   *
   * @param words Words, not stems. They consist of letters and digits, so that quotes make them one FTS5
   * string.
   * @returns Undefined if the words are so frequent that comparing their positions would take too long.
   */
  phrase(words: readonly string[]): Postings | undefined {
    const match = `${PHRASE_MARK}${words.join(" ")}"`;
    this.#settle(match);
    const known = this.#cache.get(match);
    if (known) return known;
    const stems = stemsOf(words).flat();
    const candidates = this.#phraseCandidates(stems);
    if (candidates === undefined) return undefined;
    if (candidates.length === 0) return NO_POSTINGS;
    return this.#cache.add(match, () => {
      const { count, isChecked } = this.#readPositions(stems, candidates);
      if (isChecked) return count;
      if (count > MAX_TEXTS) return this.#readPhrase(match);
      const chunks = [...new Uint32Array(this.memory.bytes.buffer, this.memory.scratch, count)];
      return this.#writePostings(chunksWithPhrase(this.#db, words, chunks));
    });
  }

  /**
   * Reads the candidates with a phrase. Of its words, the rarest ones are compared, and often rule out all candidates;
   * the positions of the others take longer to read than a few texts.
   */
  #readPositions(stems: readonly string[], candidates: readonly number[]): PhraseCandidates {
    const estimates = this.estimate(stems);
    const words = stems.flatMap((stem, offset) => {
      const located = this.#located.get(stem);
      return located ? [{ located, offset, postings: estimates.get(stem) ?? 0 }] : [];
    }).sort((a, b) => a.postings - b.postings);
    const { memory, checkpoint } = this;
    let read = 0;
    const found = readPhrasePositions(this.#index, words, {
      memory,
      candidates,
      checkpoint,
      mayStop(matches, { postings }) {
        read += postings;
        return matches <= MAX_TEXTS && read > MAX_TEXT_POSTINGS;
      },
    });
    if (!found || words.length < stems.length) {
      memory.numbers.set(candidates, memory.scratch >> 2);
      return { count: candidates.length, isChecked: false };
    }
    if (found.count > MAX_WEIGHTED_PHRASE) {
      const frequencies = memory.scratch + 4 * memory.maxPostings;
      memory.bytes.fill(COLUMN_WEIGHTS[2], frequencies, frequencies + found.count);
    }
    return found;
  }

  /**
   * Returns the chunks that contain all of the terms, as far as reading these is cheap: the rarest first. Undefined:
   * too many for a phrase.
   */
  #phraseCandidates(stems: readonly string[]): number[] | undefined {
    const estimates = [...this.estimate(stems)].sort(([, a], [, b]) => a - b);
    const { kernel, scratch } = this.memory;
    let read = 0;
    let step = 0;
    let count = 0;
    try {
      for (const [stem, estimate] of estimates) {
        read += estimate;
        if (step > 0 && read > MAX_PHRASE_POSTINGS) break;
        const postings = this.term(stem);
        count = kernel.intersect(postings.load(), postings.count, step + 1);
        step++;
        if (count === 0 || (step > 1 && count <= MAX_TEXTS)) break;
      }
    } catch (error) {
      // Marks that remain would hide their chunks from all later searches.
      kernel.takeIntersection(step, scratch, 0);
      throw error;
    }
    if (count > this.#maxPhraseCandidates) {
      kernel.takeIntersection(step, scratch, 0);
      return undefined;
    }
    kernel.takeIntersection(step, scratch, count);
    return [...new Uint32Array(this.memory.bytes.buffer, scratch, count)];
  }

  /** Returns candidates for the terms within an edit distance of a term. */
  similarTerms(term: string, maxEdits: number): string[] {
    return this.#vocabulary.similarTo(term, maxEdits, this.chunks.statistics.chunks);
  }

  /** Returns those of the candidates that are terms. Most have the same first two letters as `word`. */
  existingTerms(word: string, candidates: readonly string[]): ReadonlySet<string> {
    return this.#vocabulary.existing(word, candidates, this.chunks.statistics.chunks);
  }

  /** Returns terms with a prefix: all, or as many as were found first. */
  termsWithPrefix(prefix: string, max: number): string[] {
    return this.#vocabulary.withPrefix(prefix, max);
  }

  /** Returns derived terms by their prefixes: all, or as many as were found first. */
  derivedTerms(prefixes: readonly string[], limits: ExpansionLimits): string[][] {
    this.checkpoint?.();
    return this.#expansions.of(prefixes, limits);
  }

  /** Reads a posting list into the kernel, and returns its length. */
  #readTerm(stem: string): number {
    this.checkpoint?.();
    // A list may be read again long after it was found.
    this.#settle(stem);
    const { kernel, scratch, maxPostings } = this.memory;
    const index = this.#indexOf(stem);
    const located = this.#located.get(stem) ?? index.locate([stem])[0];
    kernel.startPostings(scratch, scratch + 4 * maxPostings, maxPostings);
    if (located) index.read(located, this.checkpoint);
    const count = kernel.postingCount();
    if (this.#frequencies.size >= MAX_FREQUENCIES) this.#frequencies.clear();
    this.#frequencies.set(stem, count);
    return count;
  }

  #readPhrase(match: string): number {
    this.checkpoint?.();
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
    return this.#writePostings(ids.map((id, index) => [id, frequencies[index] as number]));
  }

  #writePostings(postings: readonly (readonly [id: number, frequency: number])[]): number {
    const { bytes, scratch, maxPostings } = this.memory;
    new Uint32Array(bytes.buffer, scratch, postings.length).set(postings.map(([id]) => id));
    bytes.set(postings.map(([, frequency]) => frequency), scratch + 4 * maxPostings);
    return postings.length;
  }

  #matching(match: string): number[] {
    const row = first<{ ids: string }>(
      this.#db,
      "SELECT json_group_array(rowid) AS ids FROM chunks_fts WHERE chunks_fts MATCH ?",
      match,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    return ids.filter((id) => this.chunks.lengthOf(id) > 0);
  }
}
