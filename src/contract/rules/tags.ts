/** Maximum length of a tag in UTF-16 code units. */
export const MAX_TAG_CHARS = 200;

/** Text without control characters, unpaired surrogates, and white space at its ends. */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
export const TAG_PATTERN = /^(?!\s)[^\u0000-\u001f\u007f\ud800-\udfff]+(?<!\s)$/u;

/** Whether a text can be a tag: 1 to 200 characters that match {@linkcode TAG_PATTERN}. */
export function isTag(text: string): boolean {
  return text.length <= MAX_TAG_CHARS && TAG_PATTERN.test(text);
}

/** Prefix of the tag that puts a document into a collection. A document is in at most one (decision D2). */
export const COLLECTION_PREFIX = "collection:";

/**
 * Whether a tag names a collection, or could be mistaken for one. Ignores case and surrounding white space, since a
 * third-party engine may hold tags that a person typed.
 */
export function isCollectionTag(tag: string): boolean {
  return tag.trim().toLowerCase().startsWith(COLLECTION_PREFIX);
}

/**
 * Separates the collection from the other tags.
 *
 * @returns `collection` is null without a collection tag, and the first one's name if there are several,
 * which only a third-party engine or a direct call of the engine can cause.
 *
 * @example
 * ```ts
 * import { splitTags } from "./tags.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(splitTags(["collection:memory", "feedback", "email"]), {
 *   collection: "memory",
 *   tags: ["feedback", "email"],
 * });
 * ```
 */
export function splitTags(tags: readonly string[]): { collection: string | null; tags: string[] } {
  const first = tags.find(isCollectionTag);
  return {
    collection: first === undefined ? null : first.trim().slice(COLLECTION_PREFIX.length).trim() || null,
    tags: tags.filter((tag) => !isCollectionTag(tag)),
  };
}
