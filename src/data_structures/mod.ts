/**
 * Data structures over ids of documents and chunks, and values that many readers share.
 *
 * @module
 */
export { addId, type Bitset, bitset, hasId } from "./bitset.ts";
export { deepFreeze } from "./deep_freeze.ts";
export { EncodedJson } from "./encoded_json.ts";
export { GenerationCache } from "./generation_cache.ts";
export { kthLargest } from "./kth_largest.ts";
export { SlotList, type Slotted } from "./slot_list.ts";
export { sortedIndexOf } from "./sorted_index.ts";
export { type Ranked, TopK } from "./top_k.ts";
export { TopSet } from "./top_set.ts";
