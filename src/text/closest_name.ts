import { editDistance } from "./edit_distance.ts";

/**
 * Returns the candidate that was probably meant by a mistyped name. Up to a third of the characters may
 * differ, at least one and at most three. The first candidate wins a tie.
 *
 * @example
 * ```ts
 * import { closestName } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(closestName("memroy", ["documents", "memory"]), "memory");
 * assertEquals(closestName("xyz", ["documents", "memory"]), undefined);
 * ```
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const typed = [...name];
  let closest: string | undefined;
  let closestDistance = Infinity;
  for (const candidate of candidates) {
    const letters = [...candidate];
    const limit = Math.min(3, Math.max(1, Math.floor(letters.length / 3)));
    const distance = editDistance(typed, letters, limit);
    if (distance <= limit && distance < closestDistance) [closest, closestDistance] = [candidate, distance];
  }
  return closest;
}
