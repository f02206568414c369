import { CollectionError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** The collection of whatever was added without naming one. */
export const DEFAULT_COLLECTION = "documents";

const BUILT_IN = [DEFAULT_COLLECTION, "memory", "workspace"] as const;

/**
 * The collections that this server knows.
 *
 * A typing error would silently make a new collection (`memeory`), and what is in it would never be found again, so
 * only known names pass.
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
  /** Every known name: `documents`, `memory`, `workspace`, then those of the operator, without repeats. */
  readonly names: readonly string[];

  /** Knows the built-in names and, beside them, `extra` (`KB_COLLECTIONS`, checked there). */
  constructor(extra: readonly string[] = []) {
    this.names = [...new Set([...BUILT_IN, ...extra])];
  }

  /**
   * Lets a known name pass.
   *
   * @throws {CollectionError} For an unknown name, with the nearest known one and all of them.
   */
  check(name: string): string {
    if (this.names.includes(name)) return name;
    const meant = nearest(name, this.names);
    throw new CollectionError(
      `Unknown collection ${JSON.stringify(shorten(name))}.${
        meant === null ? "" : ` Did you mean ${JSON.stringify(meant)}?`
      } Known collections: ${this.names.join(", ")}; an operator can add one with KB_COLLECTIONS.`,
    );
  }
}

function shorten(name: string): string {
  const letters = [...name];
  return letters.length > 64 ? `${letters.slice(0, 64).join("")}…` : name;
}
