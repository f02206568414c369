/** Scopes of keys, from the narrowest to the widest; each one includes those before it. */
export const SCOPES = ["read", "add", "write"] as const;

/**
 * Permission of a key: `read` searches and reads, `add` also stores new notes and files, `write` also changes and
 * deletes documents.
 */
export type Scope = typeof SCOPES[number];

/**
 * Whether a caller with one scope may do what needs another.
 *
 * @example
 * ```ts
 * import { includesScope } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(includesScope("write", "add"), true);
 * assertEquals(includesScope("read", "add"), false);
 * ```
 */
export function includesScope(held: Scope, required: Scope): boolean {
  return SCOPES.indexOf(held) >= SCOPES.indexOf(required);
}
