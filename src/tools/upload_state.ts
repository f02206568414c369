import { z } from "zod";

/** How far an upload is (`UploadState` of `src/uploads`), as the upload tools answer it. */
export const uploadState = {
  upload_id: z.string(),
  filename: z.string(),
  received_bytes: z.number(),
  expected_bytes: z.number(),
  chunks_received: z.number(),
  missing_chunks: z.array(z.number()).describe("Indexes missing below the highest received."),
  missing_count: z.number(),
  next_chunk_index: z.number().optional(),
  complete: z.boolean().describe("true: call kb_upload_finish."),
  expires_at: z.string(),
};

/** The id that every call after the first one gives. */
export const UploadId = z.string().min(1).max(100).describe("upload_id from kb_upload_start.");
