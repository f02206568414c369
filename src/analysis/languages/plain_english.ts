/*
 * Recognizes plain English without the tables of the other languages, and so fast that the ingestion of English
 * text does not get slower.
 */

/** Frequent English words that hardly occur in other languages without accents. */
const STRONG_WORDS =
  ("the and with that this these those from were which you your they their should would could " +
    "when what not there between using used than but can our she about just some really very got him how why where " +
    "then because through into only know think good great new people make work thanks yes don doesn didn isn wasn " +
    "has have been his any all out after before more most each every also will going want love").split(" ");
/** Frequent English words that other languages have, too, often with another meaning. */
const WEAK_WORDS =
  ("i a of to in is it its be by for he we are on at as was my me so do did had if an or up no one " +
    "her us them get like").split(" ");
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ...STRONG_WORDS.map((word) => [word, 1] as const),
  ...WEAK_WORDS.map((word) => [word, 0.5] as const),
]);

/** The beginning decides, unless much of the rest is foreign. */
const SAMPLE_CHARS = 240;
/** Characters that are not ASCII; typographic punctuation counts as such. */
const FOREIGN = /[^\0-\x7f–—‘’“”…•·×→±°]/g;

/** A text with more other characters than this is in another language after an English license, for example. */
const MAX_FOREIGN_SHARE = 0.005;
/** Minimum weight of the different frequent words, with at least one strong one. */
const MIN_WEIGHT = 2;
/** Minimum share of the frequent words among all words. */
const MIN_SHARE = 0.2;

/** Whether a text is English without doubt: it starts as ASCII with many of the most frequent English words. */
export function isPlainEnglish(text: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARS);
  if (sample.search(FOREIGN) >= 0) return false;
  if ((text.match(FOREIGN)?.length ?? 0) > text.length * MAX_FOREIGN_SHARE) return false;
  const words = sample.toLowerCase().split(/[^a-z]+/);
  const seen = new Set<string>();
  let count = 0;
  let sum = 0;
  let hasStrong = false;
  for (const word of words) {
    const weight = WEIGHTS.get(word);
    if (weight === undefined) continue;
    count++;
    if (seen.has(word)) continue;
    seen.add(word);
    sum += weight;
    hasStrong ||= weight === 1;
  }
  return hasStrong && sum >= MIN_WEIGHT && count >= words.length * MIN_SHARE;
}
