import { COLLECTION_PREFIX, isCollectionTag } from "../contract/mod.ts";
import { quoteText } from "../text/mod.ts";
import { CollectionError } from "./collections.ts";

/**
 * Returns the tag that puts a document into a collection (decision D2).
 *
 * @example
 * ```ts
 * import { collectionTag } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(collectionTag("memory"), "collection:memory");
 * ```
 */
export function collectionTag(name: string): string {
  return COLLECTION_PREFIX + name;
}

/**
 * Returns a caller's tags, trimmed and without duplicates.
 *
 * @param field Parameter name for the message.
 * @throws {CollectionError} For a `collection:` tag in any case. It could put a document into a second or an
 * unknown collection, so only the `collection` parameter sets one.
 *
 * @example
 * ```ts
 * import { checkCallerTags } from "./mod.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 * assertEquals(checkCallerTags([" email ", "email", "feedback"]), ["email", "feedback"]);
 * assertThrows(() => checkCallerTags(["Collection:memory"]), Error, "`collection` parameter");
 * ```
 */
export function checkCallerTags(tags: readonly string[], field = "tags"): string[] {
  const invalid = tags.find(isCollectionTag);
  if (invalid !== undefined) {
    const name = invalid.trim().slice(COLLECTION_PREFIX.length);
    throw new CollectionError(
      `${field} must not contain ${quoteText(invalid.trim())}: tags do not set the collection. ` +
        `Remove it from ${field} and use the \`collection\` parameter instead` +
        (name === "" ? "." : `: {"collection":${quoteText(name)}}.`),
    );
  }
  return [...new Set(tags.map((tag) => tag.trim()))];
}

/** A tag change that moves a document (`POST /api/v1/documents/{id}/tags`). */
export interface CollectionChange {
  /** Collection tags to remove, spelled like the engine's. */
  readonly remove: string[];
  /** The target's tag; empty to leave the document in no collection. */
  readonly add: string[];
  /** Also removes the tag that a concurrent call has just added. */
  readonly remove_prefix: string;
}

/**
 * Returns the tag change that puts a document into exactly one collection, or into none. The old tags are
 * removed before the new one is added (decision D2).
 *
 * @param tags Tags of the document at the engine.
 * @param target Checked name of the collection; null for none.
 * @returns Undefined if the document is there already.
 *
 * @example
 * ```ts
 * import { collectionChange } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(collectionChange(["collection:documents", "email"], "memory"), {
 *   remove: ["collection:documents"],
 *   add: ["collection:memory"],
 *   remove_prefix: "collection:",
 * });
 * assertEquals(collectionChange(["collection:memory"], "memory"), undefined);
 * ```
 */
export function collectionChange(
  tags: readonly string[],
  target: string | null,
): CollectionChange | undefined {
  const add = target === null ? [] : [collectionTag(target)];
  const remove = [...new Set(tags.filter((tag) => isCollectionTag(tag) && !add.includes(tag)))];
  if (remove.length === 0 && add.every((tag) => tags.includes(tag))) return undefined;
  return { remove, add, remove_prefix: COLLECTION_PREFIX };
}
