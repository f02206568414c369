import { closestName, oneLine, quoteText } from "../text/mod.ts";

/** Collection of documents that are added without naming one. */
export const DEFAULT_COLLECTION = "documents";

/** Maximum number of names in a message: documents of an engine may be in any number of collections. */
const MAX_NAMED = 50;
/** Maximum length of a name in a message. */
const MAX_NAME_CHARS = 64;

const BUILT_IN = [DEFAULT_COLLECTION, "memory", "workspace"] as const;

/** An invalid collection or tag. The message is for the model: what is wrong, and what to do instead. */
export class CollectionError extends Error {
  /** Always `CollectionError`. */
  override name = "CollectionError";
}

/**
 * The collections of this server.
 *
 * A typo such as `memeory` would silently create a collection whose documents nobody finds, so unknown names
 * are rejected.
 *
 * @example
 * ```ts
 * import { Collections } from "./mod.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 * const collections = new Collections(["recipes"]);
 * assertEquals(collections.names, ["documents", "memory", "workspace", "recipes"]);
 * assertEquals(collections.check("memory"), "memory");
 * assertThrows(() => collections.check("memroy"), Error, 'Did you mean "memory"?');
 * ```
 */
export class Collections {
  /** `documents`, `memory`, `workspace`, then those of the operator, without duplicates. */
  readonly names: readonly string[];

  /** Adds the collections of `KB_COLLECTIONS` to the built-in ones. */
  constructor(extra: readonly string[] = []) {
    this.names = [...new Set([...BUILT_IN, ...extra])];
  }

  /**
   * Returns the name if it is known.
   *
   * @throws {CollectionError} For an unknown name, with the closest known one and the first 50.
   */
  check(name: string): string {
    if (this.names.includes(name)) return name;
    const closest = closestName(name.trim().toLowerCase(), this.names);
    const known = this.names.slice(0, MAX_NAMED).map((each) => oneLine(each, MAX_NAME_CHARS));
    if (this.names.length > MAX_NAMED) known.push("…");
    throw new CollectionError(
      `Unknown collection ${quoteText(name)}.${
        closest === undefined ? "" : ` Did you mean ${quoteText(closest)}?`
      } Known collections: ${known.join(", ")}; an operator can add one with KB_COLLECTIONS.`,
    );
  }
}
