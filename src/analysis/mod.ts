/**
 * Text analysis shared by indexing and querying: normalization, subwords of identifiers, n-grams, stems, stop
 * words.
 *
 * @module
 */
export { normalizeForSearch, SINGLE_CHARACTER_TOKENS, toSearchText } from "./normalize.ts";
export { stems, WORD_CHARACTERS } from "./stem.ts";
export { isStopWord } from "./stop_words.ts";
export {
  BIGRAM_SCRIPTS,
  compoundWords,
  identifierSubwords,
  NGRAM_LENGTHS,
  ngramsOf,
  TRIGRAM_SCRIPTS,
} from "./subwords.ts";
