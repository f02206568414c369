import * as z from "zod";

/** Counts by name. */
const Counts = z.record(z.string(), z.int().nonnegative());

/** Response of `GET /api/v1/status`. Third-party engines may omit fields and add their own. */
export const EngineStatus = z.looseObject({
  /** Version of the engine's contract, `3.x.y`. */
  version: z.string(),
  /** Embedding model; null for full text only. */
  model: z.unknown().optional(),
  /** State of the vectors; null without an embedding model. */
  vectors: z.looseObject({
    dimensions: z.int().positive().nullish(),
    /** Number of chunks that have a vector. */
    embedded: z.int().nonnegative(),
    /** Number of chunks. */
    total: z.int().nonnegative(),
    /** Number of chunks that the model rejected. Full text still finds them. */
    refused: z.int().nonnegative().optional(),
    /** Memory of the vectors in bytes. */
    memory_bytes: z.int().nonnegative().optional(),
    /** Current error of the embedding model, if any. */
    error: z.string().nullish(),
  }).nullish(),
  /** Device that computes embeddings. */
  device: z.unknown().optional(),
  documents: z.looseObject({
    total: z.int().nonnegative(),
    by_type: Counts,
    by_collection: Counts,
    /** By main language; `und` if it is uncertain. Absent before contract 3.2. */
    by_language: Counts.optional(),
    /** Number of documents whose words are not stemmed yet, after an upgrade. Searches find them verbatim. */
    to_analyze: z.int().nonnegative().optional(),
  }).optional(),
  chunks: z.int().nonnegative().optional(),
  tags: z.int().nonnegative().optional(),
  /** The most used tags except those of collections: at most 50. Since contract 3.3. */
  top_tags: z.array(z.looseObject({ tag: z.string(), count: z.int().nonnegative() })).optional(),
  /** Number of deleted documents that can be restored. Since contract 3.3. */
  trash: z.looseObject({ documents: z.int().nonnegative() }).optional(),
  /** Number of folders and websites that stay in sync. Since contract 3.6. */
  sources: z.looseObject({ total: z.int().nonnegative() }).optional(),
  /** Limits and languages of extraction. Since contract 3.5. */
  extraction: z.looseObject({
    /** Maximum length of the text of a file, in UTF-16 code units. */
    max_text_chars: z.int().positive(),
    /** Languages in which text is read from images, as codes such as `eng`; empty: images are not read. */
    ocr_languages: z.array(z.string()),
  }).optional(),
  /** Number of jobs by status, and the capacity of the queue. */
  queue: z.looseObject({}).optional(),
  /** Disk usage in bytes. */
  storage: z.looseObject({
    /** `ok`, or why writes fail: `storage_full`, `read_only`, `storage_damaged`, `writer_failed`. */
    state: z.string().optional(),
  }).optional(),
});
/** Inferred from {@linkcode EngineStatus}. */
export type EngineStatus = z.infer<typeof EngineStatus>;
