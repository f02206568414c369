import { CollectionError } from "./errors.ts";

const PREFIX = "collection:";

/**
 * The tag that puts a document into a collection (decision D2).
 *
 * @example
 * ```ts
 * import { collectionTag } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(collectionTag("memory"), "collection:memory");
 * ```
 */
export function collectionTag(name: string): string {
  return PREFIX + name;
}

/** An engine from elsewhere may hold tags that a person typed: any case, any white space around. */
function isCollectionTag(tag: string): boolean {
  return tag.trim().toLowerCase().startsWith(PREFIX);
}

/**
 * The tags of a caller, trimmed and without repeats.
 *
 * @param field The parameter that they came in, for the message.
 * @throws {CollectionError} For a `collection:` tag in any case: it would put a document into a second collection, or
 * into an unknown one. The `collection` parameter is the only way in.
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
  const refused = tags.find(isCollectionTag);
  if (refused !== undefined) {
    const name = refused.trim().slice(PREFIX.length);
    throw new CollectionError(
      `${field} must not contain ${JSON.stringify(refused.trim())}: collections are not set by tags. ` +
        `Remove it from ${field} and use the \`collection\` parameter instead` +
        (name === "" ? "." : `: ${JSON.stringify({ collection: name })}.`),
    );
  }
  return [...new Set(tags.map((tag) => tag.trim()))];
}

/**
 * Separates the collection from the tags, as every answer shows them.
 *
 * @returns `collection` is null when there is none. With several (only an engine from elsewhere, or a person using
 * the engine directly, can do that) the first is reported; none of them stays in `tags`.
 *
 * @example
 * ```ts
 * import { splitTags } from "./mod.ts";
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
    collection: first === undefined ? null : first.trim().slice(PREFIX.length).trim() || null,
    tags: tags.filter((tag) => !isCollectionTag(tag)),
  };
}

/**
 * What to remove from a document and what to add to it, so that it is in exactly one collection. Removing comes first
 * (decision D2): a document is never in two.
 *
 * @param tags The document's tags as the engine holds them; removals are spelled exactly like these.
 * @param target Name of the collection, checked; null leaves the document in none.
 * @returns Both empty when the document is already right.
 *
 * @example
 * ```ts
 * import { movePlan } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(movePlan(["collection:documents", "email"], "memory"), {
 *   remove: ["collection:documents"],
 *   add: ["collection:memory"],
 * });
 * assertEquals(movePlan(["collection:memory"], "memory"), { remove: [], add: [] });
 * ```
 */
export function movePlan(
  tags: readonly string[],
  target: string | null,
): { remove: string[]; add: string[] } {
  const wanted = target === null ? null : collectionTag(target);
  return {
    remove: [...new Set(tags.filter((tag) => isCollectionTag(tag) && tag !== wanted))],
    add: wanted === null || tags.includes(wanted) ? [] : [wanted],
  };
}
