import * as z from "zod";

/*
 * Schemas that several tools share. They are loose: fields that an engine adds pass through.
 */

/** An id in an output. The contract's `Id` without its limits, which would cost tokens in every schema. */
export const OutputId = z.union([z.int(), z.string()]);

/** Fields that {@linkcode present} adds to a record that has tags. */
const presentedFields = { collection: z.string().optional(), tags: z.array(z.string()).optional() };

/** A document, with its chunks if they were requested. */
export const DocumentOutput = z.looseObject({ document_id: OutputId, ...presentedFields });

/** A passage that a search found. */
export const SearchResultOutput = z.looseObject({
  chunk_id: OutputId,
  document_id: OutputId,
  index: z.int().optional(),
  ...presentedFields,
  score: z.number(),
  text: z.string(),
});

/** An ingestion job. */
export const JobOutput = z.looseObject({ job_id: OutputId, status: z.string() });

/**
 * State of an upload: the fields of `UploadState` that decide the next step. The others pass through.
 * `missing_chunks` has the indexes below the highest one received.
 */
export const UploadOutput = z.looseObject({
  received_bytes: z.number(),
  expected_bytes: z.number(),
  missing_chunks: z.array(z.int()),
  next_chunk_index: z.int().optional(),
  complete: z.boolean(),
});
