/**
 * Data structures over ids of documents and chunks.
 *
 * @module
 */
export { addId, type Bitset, bitset, hasId } from "./bitset.ts";
export { type Ranked, TopK } from "./top_k.ts";
