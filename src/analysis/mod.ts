/**
 * Text analysis shared by indexing and querying: normalization, subwords of identifiers, n-grams, stems, stop words.
 *
 * @module
 */
export { ALONE, searchForm, toSearchText } from "./analyze.ts";
export {
  codeParts,
  GRAM_LENGTHS,
  grams,
  gramsOf,
  joinedWords,
  PAIRED_SCRIPTS,
  TRIPLED_SCRIPTS,
} from "./parts.ts";
export { stems, TOKENIZER, WORD_CHARACTERS } from "./stem.ts";
export { isStopWord } from "./stop_words.ts";
