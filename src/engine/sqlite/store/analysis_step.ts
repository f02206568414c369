import type { DatabaseSync } from "node:sqlite";
import { derivedTerms, loadLanguages } from "../../../analysis/mod.ts";
import { analyzeText, hasDocumentsToAnalyze, sampleOf } from "./analysis.ts";
import { addDerivedTerms } from "./chunks.ts";
import { contentIdOf } from "./content_ids.ts";
import { type StoredRow, withTexts } from "./packed_texts.ts";
import { renormalizeDocument } from "./renormalize_document.ts";
import { all, inTransaction, run } from "./sql.ts";

/** Maximum number of chunks to analyze in one step: about 50 ms, between which other writes run. */
const STEP_CHUNKS = 100;

/** Maximum number of documents of one step. */
const STEP_DOCUMENTS = 100;

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
  const rows = all<StoredRow<ChunkText>>(
    db,
    "SELECT id, text, heading_path FROM chunks WHERE document_id = ? ORDER BY position",
    contentId,
  );
  const chunks = withTexts(db, rows);
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
