/**
 * Search by vectors: a thread that keeps them in memory, 8 bits a number, and scans them with SIMD, and the main thread's end
 * of it.
 *
 * @module
 */
export type { Found, VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";
export { VectorIndex, type VectorIndexOptions, VectorSearchError, type VectorWait } from "./vector_index.ts";
