import { DERIVED_PREFIX } from "./prefix.ts";
import { loadedStemmers } from "./tables.ts";

/*
 * Simplified and traditional Chinese. The index of words keeps the characters of the document; n-grams with
 * traditional characters derive a term in simplified ones, to which a query in either script expands.
 */

const PREFIX = `${DERIVED_PREFIX}zh`;
const RUNS = /\p{Script=Han}+/gu;
const HAN = /^\p{Script=Han}{1,2}$/u;
/** Repeats the character before it: 人々. */
const ITERATION_MARK = "々";

/** Replaces traditional characters by simplified ones, and iteration marks by the character before. */
function simplify(characters: readonly string[]): string[] {
  const simplified = loadedStemmers()?.simplified();
  const result: string[] = [];
  for (const character of characters) {
    const repeated = character === ITERATION_MARK ? result.at(-1) : undefined;
    result.push(repeated ?? simplified?.get(character) ?? character);
  }
  return result;
}

/** Returns the derived terms of the characters and pairs of characters of a text that simplification changes. */
export function hanTerms(text: string): string[] {
  const terms: string[] = [];
  const single = new Set<string>();
  for (const [run] of text.replace(/(?<=\p{Script=Han})\r?\n(?=\p{Script=Han})/gu, "").matchAll(RUNS)) {
    const characters = [...run];
    const simplified = simplify(characters);
    const isChanged = (at: number) => characters[at] !== simplified[at];
    for (const [at, character] of simplified.entries()) {
      if (isChanged(at)) single.add(PREFIX + character);
      if (at > 0 && (isChanged(at - 1) || isChanged(at))) terms.push(PREFIX + simplified[at - 1] + character);
    }
  }
  return [...terms, ...single];
}

/** Returns the terms that one or two characters match in the other script; none for other text. */
export function hanForms(characters: string): string[] {
  if (!HAN.test(characters)) return [];
  const simplified = simplify([...characters]).join("");
  return [PREFIX + simplified, ...(simplified === characters ? [] : [simplified])];
}
