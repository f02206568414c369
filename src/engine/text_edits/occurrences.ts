/**
 * Yields the offsets at which a passage occurs in a text, also where occurrences overlap.
 *
 * Threat: `indexOf` takes the product of both lengths for repetitive ones, such as a million times "a", which are
 * minutes in which nobody can write. This is the algorithm of Knuth, Morris and Pratt (1977), which reads each
 * character of the text once.
 *
 * @param passage Not empty.
 *
 * @example
 * ```ts
 * import { occurrences } from "./occurrences.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([...occurrences("ababa b", "aba")], [0, 2]);
 * ```
 */
export function* occurrences(text: string, passage: string): Generator<number> {
  const borders = bordersOf(passage);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && passage.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (passage.charCodeAt(matched) === code) matched++;
    if (matched < passage.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1]!;
  }
}

/** Returns, for each prefix of a passage, the length of its longest proper prefix that is also its end. */
function bordersOf(passage: string): Int32Array {
  const borders = new Int32Array(passage.length);
  let length = 0;
  for (let at = 1; at < passage.length; at++) {
    const code = passage.charCodeAt(at);
    while (length > 0 && passage.charCodeAt(length) !== code) length = borders[length - 1]!;
    if (passage.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
