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
  const edits: string[] = [];
  let before = characters.slice(0, start).join("");
  for (let at = start; at <= characters.length && at < end; at++) {
    const [previous, current, next] = [characters[at - 1], characters[at], characters[at + 1]];
    const rest = word.slice(before.length);
    // In a run of equal characters, edits at different positions have the same result: only the first one is added.
    const isNew = (character: string) => at === start || character !== previous;
    for (const letter of alphabet) if (isNew(letter)) edits.push(before + letter + rest);
    if (current === undefined) break;
    const after = rest.slice(current.length);
    if (isNew(current)) edits.push(before + after);
    for (const letter of alphabet) if (letter !== current) edits.push(before + letter + after);
    if (next !== undefined && next !== current) {
      edits.push(before + next + current + after.slice(next.length));
    }
    before += current;
  }
  return edits;
}
