import type { DatabaseSync } from "node:sqlite";
import type { ScoredChunk, StoredVectorQuery } from "../../search/mod.ts";
import { scoreVectors } from "./score_vectors.ts";

/**
 * Returns the similarity of chunks to a query, computed from their stored vectors. Those without a vector are omitted.
 *
 * @param hits Chunks to omit, because their similarity is known.
 */
export function similaritiesOf(
  db: DatabaseSync,
  chunks: readonly number[],
  query: StoredVectorQuery | undefined,
  hits: readonly ScoredChunk[],
): ScoredChunk[] {
  const known = new Set(hits.map(({ id }) => id));
  const missing = chunks.filter((id) => !known.has(id));
  const similarities: ScoredChunk[] = [];
  if (!query || missing.length === 0) return similarities;
  // Scores of hits are float32.
  const offer = (id: number, score: number) => similarities.push({ id, score: Math.fround(score) });
  scoreVectors(db, query.vector, { chunks: missing, setId: query.setId }, offer);
  return similarities;
}
