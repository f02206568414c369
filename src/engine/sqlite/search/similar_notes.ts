import type { DatabaseSync } from "node:sqlite";
import type { SimilarNote, SimilarRequest } from "../../../contract/mod.ts";
import { COLLECTION_PREFIX, DEFAULT_SIMILAR } from "../../../contract/rules/mod.ts";
import {
  type NoteToCompare,
  noteToCompare,
  rankSimilarNotes,
  type SimilarCandidate,
  topHits,
  type VectorRanker,
  type VectorSearch,
} from "../../search/mod.ts";
import type { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import {
  all,
  DOCUMENT_OF_CHUNK,
  first,
  noteSource,
  snapshot,
  type StoredRow,
  withTexts,
} from "../store/read_only.ts";

/** Dependencies of {@linkcode findSimilarNotes}. */
export interface SimilarNotesOptions {
  readonly db: DatabaseSync;
  readonly reader: PostingsReader;
  readonly scores: ScoreAccumulator;
  readonly vectors: VectorSearch | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Number of chunks to compare that share the rarest terms. */
const TERM_CANDIDATES = 16;
/** Number of chunks to compare with the nearest vectors. */
const VECTOR_CANDIDATES = 8;
/** Number of chunks from which those of a large collection are selected. */
const UNFILTERED_CANDIDATES = 200;
/** Number of documents up to which a collection is a filter. Reading a larger one takes milliseconds. */
const MAX_FILTER = 5_000;
/** Terms in more chunks than this, and in more than a tenth of all, do not select candidates. */
const COMMON_TERM = 2_000;

/** Finds notes that say nearly the same as a new one: candidates by terms and by vectors, compared by sentences. */
export async function findSimilarNotes(
  request: SimilarRequest,
  { db, reader, scores, vectors, signal }: SimilarNotesOptions,
): Promise<SimilarNote[]> {
  const note = noteToCompare(request);
  if (note.terms.length === 0) return [];
  const [ranker, { ids, allowed }] = await Promise.all([
    vectors?.embedNote(note.text, signal),
    // Waits for the request to the embedding model to be sent.
    Promise.resolve().then(() =>
      snapshot(db, () => {
        reader.refresh();
        const isAllowed = collectionFilter(db, reader, request.collection);
        return { ids: candidatesByTerms(note, { reader, scores, isAllowed }), allowed: isAllowed };
      })
    ),
  ]);
  const cosines = ranker ? await nearest(ranker, { ids, allowed, reader }) : new Map<number, number>();
  return snapshot(db, () => {
    reader.refresh();
    const candidates = readCandidates(db, [...new Set([...ids, ...cosines.keys()])], { request, cosines });
    const { chunks } = reader.chunks.statistics;
    // Smoothed for small stores, in which each word is rare.
    const weights = new Map<string, number>();
    const weightOf = (stem: string) => {
      const known = weights.get(stem);
      if (known !== undefined) return known;
      const weight = Math.log(1 + (chunks + 500) / (reader.term(stem).count + 5));
      weights.set(stem, weight);
      return weight;
    };
    return rankSimilarNotes(note, candidates, {
      weightOf,
      limit: request.limit ?? DEFAULT_SIMILAR,
      // Reads the pages of all terms together.
      onTerms: (terms) => void reader.estimate(terms),
    });
  });
}

type ChunkFilter = (chunk: number) => boolean;

/** Returns a test for the chunks of a collection; undefined if the collection is too large for one. */
function collectionFilter(
  db: DatabaseSync,
  reader: PostingsReader,
  collection: string | undefined,
): ChunkFilter | undefined {
  if (collection === undefined) return undefined;
  const row = first<{ ids: string }>(
    db,
    `SELECT json_group_array(document_id) AS ids FROM (
       SELECT x.document_id FROM tags t JOIN document_tags x ON x.tag_id = t.id WHERE t.name = ? LIMIT ?)`,
    COLLECTION_PREFIX + collection,
    MAX_FILTER + 1,
  );
  const documents = new Set(JSON.parse(row?.ids ?? "[]") as number[]);
  if (documents.size > MAX_FILTER) return undefined;
  return (chunk) => documents.has(reader.chunks.documentOf(chunk));
}

function candidatesByTerms(
  { terms }: NoteToCompare,
  { reader, scores, isAllowed }: {
    readonly reader: PostingsReader;
    readonly scores: ScoreAccumulator;
    readonly isAllowed: ChunkFilter | undefined;
  },
): number[] {
  const common = Math.max(COMMON_TERM, reader.chunks.statistics.chunks / 10);
  try {
    // Reads the pages of all terms together.
    reader.estimate(terms);
    for (const term of terms) {
      const postings = reader.term(term);
      if (postings.count <= common) scores.add(postings, reader.idf(postings));
    }
    const hits = scores.drain(isAllowed);
    const top = topHits(hits, isAllowed ? TERM_CANDIDATES : UNFILTERED_CANDIDATES);
    scores.release(hits);
    return top.map(({ id }) => id);
  } finally {
    // An error must not leave scores for the next search.
    scores.reset();
  }
}

/** Returns the cosines of the nearest chunks, and of candidates by terms. */
async function nearest(
  ranker: VectorRanker,
  { ids, allowed, reader }: {
    readonly ids: readonly number[];
    readonly allowed: ChunkFilter | undefined;
    readonly reader: PostingsReader;
  },
): Promise<Map<number, number>> {
  const ranking = await ranker({
    limit: allowed ? VECTOR_CANDIDATES : UNFILTERED_CANDIDATES,
    allowed: allowed && reader.chunks.bitset({ isAllowed: allowed }),
    others: ids,
  });
  if ("warning" in ranking) return new Map();
  return new Map([...ranking.hits, ...ranking.others].map(({ id, score }) => [id, score]));
}

/** Reads the chunks of other notes in the collection, in the order of their ids in the list. */
function readCandidates(
  db: DatabaseSync,
  ids: readonly number[],
  { request, cosines }: {
    readonly request: SimilarRequest;
    readonly cosines: ReadonlyMap<number, number>;
  },
): SimilarCandidate[] {
  const { text, collection, exclude } = request;
  const inCollection = `EXISTS (SELECT 1 FROM document_tags x JOIN tags t ON t.id = x.tag_id
    WHERE x.document_id = d.id AND t.name ${collection === undefined ? "LIKE" : "="} ?)`;
  const rows = all<StoredRow<Omit<SimilarCandidate, "cosine"> & { readonly chunk_id: number }>>(
    db,
    `SELECT c.id AS chunk_id, d.id AS document_id, c.text, d.title
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
      WHERE d.doc_type = 'note' AND d.content_hash <> ? AND d.id <> ?
        AND ${collection === undefined ? `NOT ${inCollection}` : inCollection}
      ORDER BY j.key LIMIT ?`,
    JSON.stringify(ids),
    // The note itself, if its job has ended, or the one that it duplicates.
    noteSource(text).contentHash,
    typeof exclude === "number" ? exclude : 0,
    COLLECTION_PREFIX + (collection ?? "%"),
    TERM_CANDIDATES + VECTOR_CANDIDATES,
  );
  return withTexts(db, rows).map(({ chunk_id, ...row }) => ({ ...row, cosine: cosines.get(chunk_id) }));
}
