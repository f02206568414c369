/**
 * Collections: pure rules over tags. A document is in at most one, by its `collection:<name>` tag.
 *
 * @module
 */
export { CollectionError, Collections, DEFAULT_COLLECTION } from "./collections.ts";
export { checkCallerTags, type CollectionChange, collectionChange, collectionTag } from "./tags.ts";
export { splitTags } from "../contract/mod.ts";
