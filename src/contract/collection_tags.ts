/** Prefix of the tag that puts a document into a collection. A document is in at most one (decision D2). */
export const COLLECTION_PREFIX = "collection:";

/**
 * Whether a tag names a collection, or could be mistaken for one. Ignores case and surrounding white space, since a
 * third-party engine may hold tags that a person typed.
 */
export function isCollectionTag(tag: string): boolean {
  return tag.trim().toLowerCase().startsWith(COLLECTION_PREFIX);
}
