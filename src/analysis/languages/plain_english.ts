/**
 * Frequent English words that are rare in other languages. They recognize plain English without the tables of
 * the other languages, and so fast that the ingestion of English text does not get slower.
 */
const ENGLISH_WORDS =
  /(?<![a-z])(?:the|and|of|to|with|that|this|these|those|are|from|have|has|been|were|which|you|your|they|their|should|would|could|when|what|not|it|its|is|be|by|for|she|he|we|our|there|between|using|used|than|but|can)(?![a-z])/gi;
const WORDS = /[a-z]+/gi;
const ASCII = /^[\0-\x7f]*$/;

/** Minimum number of different frequent words. */
const MIN_DISTINCT = 3;
/** Minimum share of the frequent words among all words. */
const MIN_SHARE = 0.15;

/** Whether a text is English without doubt: ASCII with many of the most frequent English words. */
export function isPlainEnglish(text: string): boolean {
  if (!ASCII.test(text.replace(/[–—‘’“”…•·×→±°]/g, ""))) return false;
  const frequent = text.match(ENGLISH_WORDS);
  if (!frequent || new Set(frequent.map((word) => word.toLowerCase())).size < MIN_DISTINCT) return false;
  return frequent.length >= (text.match(WORDS)?.length ?? 0) * MIN_SHARE;
}
