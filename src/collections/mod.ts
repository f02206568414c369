/**
 * Collections: pure rules over tags. A document belongs to at most one, by its `collection:<name>` tag.
 *
 * @module
 */
export { Collections, DEFAULT_COLLECTION } from "./collections.ts";
export { CollectionError } from "./errors.ts";
export { checkCallerTags, collectionTag, movePlan, splitTags } from "./tags.ts";
