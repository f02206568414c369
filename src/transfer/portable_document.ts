import type * as z from "zod";
import { COLLECTION_PREFIX, type ImportedDocument } from "../contract/mod.ts";

/** A document in the form in which it is exported and imported. */
export type PortableDocument = z.output<typeof ImportedDocument>;

/** Returns the name of the collection in a list of tags. */
export function collectionIn(tags: readonly string[]): string | undefined {
  return tags.find((tag) => tag.startsWith(COLLECTION_PREFIX))?.slice(COLLECTION_PREFIX.length);
}

/** Returns tags without those of collections. */
export function plainTags(tags: readonly string[]): string[] {
  return tags.filter((tag) => !tag.startsWith(COLLECTION_PREFIX));
}

/** Returns tags with a collection in front. */
export function withCollection(tags: readonly string[], collection: string | undefined): string[] {
  const plain = [...new Set(plainTags(tags))];
  return collection === undefined ? plain : [`${COLLECTION_PREFIX}${collection}`, ...plain];
}
