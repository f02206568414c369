/**
 * Text analysis shared by indexing and querying: normalization, subwords of identifiers, n-grams, stems, stop
 * words.
 *
 * @module
 */
export { asciiDigits, digitForms } from "./digits.ts";
export { greekSubwords } from "./greek_letters.ts";
export { SINGLE_CHARACTER_TOKENS } from "./fold.ts";
export { asciiWords } from "./latin_text.ts";
export { analyzeForSearch, normalizeForSearch, type SearchText, toSearchText } from "./normalize.ts";
export { findSubword, type SearchableText } from "./find_subword.ts";
export { BIGRAM_SCRIPTS, TRIGRAM_SCRIPTS } from "./scripts.ts";
export { stems, stemsOfCandidates, WORD_CHARACTERS } from "./stem.ts";
export { isStopWord } from "./stop_words.ts";
export { compoundWords, identifierSubwords, NGRAM_LENGTHS, ngramsOf } from "./subwords.ts";
export { type CompoundPrefixes, prefixesOf } from "./languages/compounds.ts";
export { hanForms } from "./languages/han.ts";
export { DERIVED_PREFIX, languageOfTerm } from "./languages/prefix.ts";
export {
  ANALYSIS_VERSION,
  charactersTerms,
  compoundsOf,
  derivedForms,
  derivedTerms,
  isLooseTerm,
  stopWordBits,
} from "./languages/derived_terms.ts";
export { LANGUAGE_SAMPLE_CHARS, languagesOf, type TextLanguages } from "./languages/document_language.ts";
export { hasStems, scriptBit, scriptBits } from "./languages/stemmers.ts";
export { stopWordBit } from "./languages/stop_words.ts";
export { isPlainEnglish } from "./languages/plain_english.ts";
export { areStemmersLoaded, loadDetector, loadLanguages, loadStemmers } from "./languages/tables.ts";
