/**
 * Vector search: a thread keeps codes or 8-bit forms of vectors in memory, and scans them with SIMD.
 *
 * @module
 */
export type {
  NearestChunks,
  ScoredIds,
  SharedTarget,
  VectorMemory,
  VectorQuery,
  VectorSettings,
} from "./protocol.ts";
export { VectorIndex, type VectorIndexOptions, VectorSearchError } from "./vector_index.ts";
export { type ReadVectors, readVectors } from "./score_vectors.ts";
export { SharedRanking, type TakenRanking } from "./shared_ranking.ts";
export { similaritiesOf } from "./similarities.ts";
export { totalsOf, type VectorTotals } from "./vector_totals.ts";
