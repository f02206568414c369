/** Positions of the edits, as offsets of characters. */
export interface EditRange {
  /** @default 0 */
  readonly start?: number;
  /** Exclusive. By default, edits may also insert after the last character. */
  readonly end?: number;
}

/**
 * Returns the distinct words at optimal string alignment distance 1 of a word: one character inserted, deleted
 * or substituted, or two neighbors transposed (Damerau 1964).
 *
 * @param alphabet Characters to insert and substitute.
 * @param range Positions of the first character that an edit changes.
 *
 * @example
 * ```ts
 * import { singleEdits } from "./single_edits.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(singleEdits("ab", ["a", "b"], { end: 1 }), ["aab", "bab", "b", "bb", "ba"]);
 * ```
 */
export function singleEdits(
  word: string,
  alphabet: readonly string[],
  { start = 0, end = Infinity }: EditRange = {},
): string[] {
  const characters = [...word];
  const edits = new Set<string>();
  for (let at = start; at <= characters.length && at < end; at++) {
    const before = characters.slice(0, at).join("");
    const rest = characters.slice(at).join("");
    const [current, next] = characters.slice(at, at + 2);
    for (const letter of alphabet) edits.add(before + letter + rest);
    if (current === undefined) continue;
    const after = rest.slice(current.length);
    edits.add(before + after);
    for (const letter of alphabet) edits.add(before + letter + after);
    if (next !== undefined) edits.add(before + next + current + after.slice(next.length));
  }
  edits.delete(word);
  return [...edits];
}
