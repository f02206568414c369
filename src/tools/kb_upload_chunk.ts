import { z } from "zod";
import { defineTool } from "./define.ts";
import { UploadId, uploadState } from "./upload_state.ts";

/** Takes one chunk of an upload (decision D5). What base64 is, and how large it may be, `Uploads` checks. */
export const kbUploadChunk = defineTool({
  name: "kb_upload_chunk",
  title: "Upload a chunk",
  description:
    `Sends one chunk of an upload that kb_upload_start began. Chunks may come in any order; the same \
chunk_index again replaces what was sent. The answer says how many bytes arrived and which indexes are missing.`,
  input: z.strictObject({
    upload_id: UploadId,
    chunk_index: z.int().min(0).max(1_000_000).describe("Position of the chunk in the file, from 0."),
    data: z.string().min(1).describe("The chunk's bytes as base64 with padding."),
  }),
  output: z.object(uploadState),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ upload_id, chunk_index, data }, { uploads, caller }) {
    return { ...await uploads.putChunk(caller.id, upload_id, chunk_index, data) };
  },
});
