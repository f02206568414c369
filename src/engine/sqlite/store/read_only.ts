/**
 * The part of the store for threads that do not write, which load neither its writes nor its migrations: they start
 * faster.
 *
 * @module
 */
export { analyzeText, hasDocumentsToAnalyze, sampleOf, stemmedLanguages } from "./analysis.ts";
export {
  type ChunkColumns,
  COLUMN_CHUNKS,
  columnCoverage,
  MAX_LENGTH,
  readColumns,
  storedLength,
} from "./chunk_columns.ts";
export { readChunkSizes } from "./chunk_sizes.ts";
export { type ChunkRow, derivedTitleOf, prepareChunk } from "./chunks.ts";
export {
  BLOCK_VECTORS,
  type CodeDeviations,
  codeOffset,
  type CodePageLayout,
  codePageLayout,
  PAGE_VECTORS,
  shiftOf,
} from "./code_page.ts";
export { DOCUMENT_OF_CHUNK } from "./content_ids.ts";
export { dataDirAt } from "./data_dir.ts";
export { deletionsAfter, lastDeletion } from "./deletion_log.ts";
export { RECENCY } from "./document_conditions.ts";
export { servingSet } from "./embedding_sets.ts";
export { fileTitle } from "./file_title.ts";
export { type Condition, filterConditions } from "./filter_conditions.ts";
export { noteSource } from "./note_source.ts";
export { openForReading } from "./open_for_reading.ts";
export { DamagedTextError, type StoredRow, type StoredText, textOf, withTexts } from "./packed_texts.ts";
export { queryDocuments } from "./query_documents.ts";
export { readStatus, type StoreStatus } from "./read_status.ts";
export { headingText, toSearchHeading } from "./search_text.ts";
export {
  all,
  allArrays,
  allOneByOne,
  changedRows,
  dataVersion,
  first,
  sharedSnapshot,
  snapshot,
  storable,
  timestamp,
} from "./sql.ts";
export { storageFault } from "./storage_errors.ts";
export {
  decodeVector,
  dotProduct,
  float32VectorBytes,
  isVectorSize,
  storedDotProduct,
  storedVectorBytes,
} from "./stored_vector.ts";
export { pagesMean, readVectorPage, type VectorPage, vectorPages } from "./vector_pages.ts";
