import type { DatabaseSync } from "node:sqlite";
import {
  ANALYSIS_VERSION,
  derivedTerms,
  LANGUAGE_SAMPLE_CHARS,
  languagesOf,
  loadLanguages,
  type TextLanguages,
} from "../../../analysis/mod.ts";
import { addDerivedTerms } from "./chunks.ts";
import { contentIdOf } from "./content_ids.ts";
import { renormalizeDocument } from "./renormalize_document.ts";
import { all, count, first, inTransaction, run } from "./sql.ts";

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

/** Maximum number of chunks to analyze in one step: about 50 ms, between which other writes run. */
const STEP_CHUNKS = 100;
/** Maximum number of documents of one step. */
const STEP_DOCUMENTS = 100;

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
 * Analyzes some documents that an older version analyzed, or none, in a transaction of its own: the newest
 * first. A document is analyzed completely or not at all, so that the work continues after a restart.
 *
 * @returns Whether more steps are needed.
 */
export async function analysisStep(db: DatabaseSync): Promise<boolean> {
  if (!hasDocumentsToAnalyze(db)) return false;
  await loadLanguages();
  // Closed while the tables were loaded.
  if (!db.isOpen) return false;
  return inTransaction(db, () => {
    let chunks = 0;
    for (const { id, title, stemmed_languages } of nextDocuments(db)) {
      chunks += analyzeDocument(db, { id, title, hadTerms: stemmed_languages !== null });
      if (chunks >= STEP_CHUNKS) break;
    }
    return hasDocumentsToAnalyze(db);
  });
}

interface DocumentRow {
  id: number;
  title: string;
  stemmed_languages: string | null;
}

function nextDocuments(db: DatabaseSync): DocumentRow[] {
  // An index entry ends with the id, so that one version is read in order, without sorting.
  return all(
    db,
    `SELECT id, title, stemmed_languages FROM documents
      WHERE analysis_version = (SELECT min(analysis_version) FROM documents) ORDER BY id DESC LIMIT ?`,
    STEP_DOCUMENTS,
  );
}

interface ChunkText {
  id: number;
  text: string;
  heading_path: string;
}

/** Analyzes a document again, or a part of it. Returns the number of chunks that count for the step. */
function analyzeDocument(
  db: DatabaseSync,
  { id, title, hadTerms }: { readonly id: number; readonly title: string; readonly hadTerms: boolean },
): number {
  // The rest of the document follows in the next steps.
  if (renormalizeDocument(db, id)) return STEP_CHUNKS;
  const contentId = contentIdOf(db, id);
  const chunks = all<ChunkText>(
    db,
    "SELECT id, text, heading_path FROM chunks WHERE document_id = ? ORDER BY position",
    contentId,
  );
  const { language, stemmed, version } = analyzeText(sampleOf(title, chunks.map(({ text }) => text)));
  if (hadTerms) {
    run(
      db,
      "DELETE FROM derived_fts WHERE rowid IN (SELECT id FROM chunks WHERE document_id = ?)",
      contentId,
    );
  }
  if (stemmed.length > 0) {
    const derivedTitle = derivedTerms(title, stemmed);
    for (const { id: chunkId, text, heading_path } of chunks) {
      const headings = (JSON.parse(heading_path) as string[]).join("\n");
      addDerivedTerms(db, chunkId, [
        derivedTitle,
        derivedTerms(headings, stemmed),
        derivedTerms(text, stemmed),
      ]);
    }
  }
  run(
    db,
    "UPDATE documents SET language = ?, stemmed_languages = ?, analysis_version = ? WHERE id = ?",
    language,
    stemmed.join(" ") || null,
    version,
    id,
  );
  return chunks.length;
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
