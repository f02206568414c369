import type { DatabaseSync } from "node:sqlite";
import { learnSymbols, MAX_TEXT_BYTES, type SampleText, type SymbolTable } from "../text_packing/mod.ts";
import { DOCUMENT_OF_CHUNK } from "./content_ids.ts";
import { type StoredText, textOf } from "./packed_texts.ts";
import { count, first } from "./sql.ts";

/** Number of chunks that symbols are learned from. More take longer and save little. */
const SAMPLE_CHUNKS = 1024;
/** Minimum number of these: the symbols of fewer would take more space than they save. */
const MIN_SAMPLE_CHUNKS = 512;
/** Maximum length of the text of a chunk, in UTF-16 code units. Most are much shorter. */
const SAMPLE_CHARS = MAX_TEXT_BYTES / 16;
/** Number of chunks that a step reads. */
const STEP_CHUNKS = 64;
/** Minimum number of symbols. Texts that have little in common are hardly smaller when they are packed. */
const MIN_SYMBOLS = 1024;

/**
 * Learns symbols from chunks of the whole store, step by step.
 *
 * @returns Undefined if there are too few chunks, or they have too little in common.
 */
export function* learnStoredSymbols(db: DatabaseSync): Generator<void, SymbolTable | undefined> {
  const sample = yield* sampleTexts(db);
  if (sample.length < MIN_SAMPLE_CHUNKS) return undefined;
  const table = yield* learnSymbols(sample);
  return table.symbols.length < MIN_SYMBOLS ? undefined : table;
}

/** Returns texts of documents at equal distances, in the order of the documents. */
function* sampleTexts(db: DatabaseSync): Generator<void, SampleText[]> {
  const last = count(db, "SELECT max(id) AS n FROM chunks");
  const sample: SampleText[] = [];
  let previous = 0;
  for (let n = 0; n < SAMPLE_CHUNKS; n++) {
    const from = Math.max(previous + 1, 1 + Math.floor(n / SAMPLE_CHUNKS * last));
    const chunk = first<{ id: number; text: StoredText; document: number }>(
      db,
      `SELECT c.id, c.text, ${DOCUMENT_OF_CHUNK} AS document FROM chunks c WHERE c.id >= ? ORDER BY c.id LIMIT 1`,
      from,
    );
    if (!chunk) break;
    previous = chunk.id;
    // Hidden texts are removed soon, and those that are being written may be given up.
    if (chunk.document !== 0) {
      const text = textOf(db, chunk.text).slice(0, SAMPLE_CHARS);
      sample.push({ document: chunk.document, text });
    }
    if (n % STEP_CHUNKS === STEP_CHUNKS - 1) yield;
  }
  return sample.sort((a, b) => a.document - b.document);
}
