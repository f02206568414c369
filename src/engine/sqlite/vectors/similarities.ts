import type { DatabaseSync } from "node:sqlite";
import type { ScoredChunk, StoredVectorQuery } from "../../search/mod.ts";
import { type ReadVectors, scoreVectors } from "./score_vectors.ts";
import { storedDotProducts } from "./stored_dot_products.ts";

/**
 * Returns the similarity of chunks to a query, computed from their stored vectors. Those without a vector are omitted.
 *
 * @param hits Chunks to omit, because their similarity is known.
 * @param read Vectors of some of the chunks, if they were read before.
 */
export function similaritiesOf(
  db: DatabaseSync,
  chunks: readonly number[],
  query: StoredVectorQuery | undefined,
  hits: readonly ScoredChunk[],
  read?: ReadVectors,
): ScoredChunk[] {
  const known = new Set(hits.map(({ id }) => id));
  const similarities: ScoredChunk[] = [];
  if (!query) return similarities;
  // Scores of hits are float32.
  const offer = (id: number, score: number) => similarities.push({ id, score: Math.fround(score) });
  const { vector, setId } = query;
  if (read && read.setId === setId && read.dimensions === vector.length && read.chunks.length > 0) {
    const scores = storedDotProducts(vector, read.vectors);
    for (const [at, id] of read.chunks.entries()) {
      if (known.has(id)) continue;
      known.add(id);
      offer(id, scores[at]!);
    }
  }
  const missing = chunks.filter((id) => !known.has(id));
  if (missing.length > 0) scoreVectors(db, vector, { chunks: missing, setId }, offer);
  return similarities;
}
