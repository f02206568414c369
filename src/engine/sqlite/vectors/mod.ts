/**
 * Exact vector search: a thread keeps vectors in memory, quantized to 8 bits, and scans them with SIMD.
 *
 * @module
 */
export type { NearestChunks, ScoredIds, VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";
export { VectorIndex, type VectorIndexOptions, VectorSearchError } from "./vector_index.ts";
