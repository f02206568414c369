import * as z from "zod";

/** How far an upload is: what of `UploadState` (`src/uploads`) decides on the next step. The rest passes through. */
export const UploadProgress = z.looseObject({
  received_bytes: z.number(),
  expected_bytes: z.number(),
  missing_chunks: z.array(z.number()).describe("Indexes missing below the highest received."),
  next_chunk_index: z.number().optional(),
  complete: z.boolean().describe("true: call kb_upload_finish."),
});

/** The id that every call after the first one gives. */
export const UploadId = z.string().min(1).max(100).describe("From kb_upload_start.");
