import { DERIVED_PREFIX } from "./prefix.ts";

const PREFIX = `${DERIVED_PREFIX}ja`;

/**
 * A Chinese character with an ending in hiragana, as verbs and adjectives are written: 行く, 行きました. After
 * another Chinese character it is a compound, which n-grams find; other hiragana are particles.
 */
const INFLECTED = /(?<!\p{Script=Han})\p{Script=Han}(?=[\u3041-\u3096])(?![はがをのにへともやでだね])/gu;

/**
 * Returns a derived term for each verb and adjective of a text, which all their forms share: 書く, 書いた and
 * 書きます have no n-gram in common.
 */
export function japaneseTerms(text: string): string[] {
  return Array.from(text.matchAll(INFLECTED), ([character]) => PREFIX + character);
}
