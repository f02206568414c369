import * as z from "zod";
import { defineTool } from "./define.ts";
import { UploadId, UploadProgress } from "./upload_state.ts";

/** Takes one chunk of an upload (decision D5). What base64 is, and how large it may be, `Uploads` checks. */
export const kbUploadChunk = defineTool({
  name: "kb_upload_chunk",
  title: "Upload a chunk",
  icon: "M4 0l4 4H5v4H3V4H0z",
  description: `Sends one chunk of an upload, in any order; the same chunk_index again replaces it. \
Answers the bytes received and the indexes missing.`,
  input: z.strictObject({
    upload_id: UploadId,
    chunk_index: z.int().min(0).max(1_000_000).describe("Its position in the file, from 0."),
    data: z.string().min(1).describe("Its bytes as base64 with padding."),
  }),
  output: UploadProgress,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ upload_id, chunk_index, data }, { uploads, caller }) {
    return { ...await uploads.putChunk(caller.id, upload_id, chunk_index, data) };
  },
});
