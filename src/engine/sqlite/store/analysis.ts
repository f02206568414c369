import type { DatabaseSync } from "node:sqlite";
import {
  ANALYSIS_VERSION,
  LANGUAGE_SAMPLE_CHARS,
  languagesOf,
  type TextLanguages,
} from "../../../analysis/mod.ts";
import { all, count, first } from "./sql.ts";

/** Languages of a document, with the version of the analysis that found them. */
export interface TextAnalysis extends TextLanguages {
  /** `ANALYSIS_VERSION`, or 0 for a document that is analyzed later. */
  readonly version: number;
}

/**
 * Returns the languages of a text. Unless the text is plain English or the tables of languages are loaded, this
 * is left to {@linkcode analysisStep}: nothing can be loaded inside of a transaction.
 */
export function analyzeText(sample: string): TextAnalysis {
  const languages = languagesOf(sample);
  return languages
    ? { ...languages, version: ANALYSIS_VERSION }
    : { language: null, stemmed: [], version: 0 };
}

/** Returns the text by which the language of a document is detected: its title, beginning and middle. */
export function sampleOf(title: string, texts: readonly string[]): string {
  const beginning = texts[0] ?? "";
  const middle = texts.length > 2 ? texts[Math.floor(texts.length / 2)] ?? "" : "";
  const half = LANGUAGE_SAMPLE_CHARS / 2;
  return [title, beginning.slice(0, middle ? half : LANGUAGE_SAMPLE_CHARS), middle.slice(0, half)].join("\n");
}

/** Returns the number of documents that have not been analyzed by the current version. */
export function documentsToAnalyze(db: DatabaseSync): number {
  return count(db, "SELECT count(*) AS n FROM documents WHERE analysis_version < ?", ANALYSIS_VERSION);
}

/** Whether any document has not been analyzed by the current version. */
export function hasDocumentsToAnalyze(db: DatabaseSync): boolean {
  return first(db, "SELECT 1 FROM documents WHERE analysis_version < ? LIMIT 1", ANALYSIS_VERSION) !==
    undefined;
}

/**
 * Returns the languages in which documents have derived terms. Skips from value to value of the index, which is
 * empty in a store of English text.
 */
export function stemmedLanguages(db: DatabaseSync): string[] {
  const rows = all<{ value: string }>(
    db,
    `WITH RECURSIVE found (value) AS (
       SELECT min(stemmed_languages) FROM documents WHERE stemmed_languages IS NOT NULL
       UNION ALL
       SELECT (SELECT min(stemmed_languages) FROM documents
                WHERE stemmed_languages IS NOT NULL AND stemmed_languages > value)
         FROM found WHERE value IS NOT NULL)
     SELECT value FROM found WHERE value IS NOT NULL`,
  );
  return [...new Set(rows.flatMap(({ value }) => value.split(" ")))].sort();
}
