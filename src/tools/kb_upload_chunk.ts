import * as z from "zod";
import { UploadId } from "./arguments.ts";
import { UploadOutput } from "./outputs.ts";
import { defineTool } from "./tool.ts";

/** Stores a chunk of an upload (decision D5). `Uploads` checks the base64 and its size. */
export const kbUploadChunk = defineTool({
  name: "kb_upload_chunk",
  title: "Upload a chunk",
  description: `Send one chunk of an upload, in any order. Returns the bytes received and the indexes missing.

Use this tool when you need to:
- Send a file but cannot run commands
- Replace a chunk: same chunk_index`,
  scope: "add",
  input: z.strictObject({
    upload_id: UploadId,
    chunk_index: z.int().min(0).max(1_000_000).describe("Its position in the file, from 0."),
    data: z.string().min(1).describe("Its bytes as base64 with padding."),
  }),
  output: UploadOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ upload_id, chunk_index, data }, { uploads, caller }) {
    return { ...await uploads.putChunk(caller.id, upload_id, chunk_index, data) };
  },
});
