import { z } from "zod";
import { collectionTag } from "../collections/mod.ts";
import { defineTool } from "./define.ts";
import { followJob, IngestionAnswer } from "./ingestion.ts";
import { UploadId } from "./upload_state.ts";

/** Checks a staged file and streams it to the engine, which makes a job of it. */
export const kbUploadFinish = defineTool({
  name: "kb_upload_finish",
  title: "Finish a file upload",
  description:
    `Hands an upload whose bytes have all arrived to the knowledge base and answers its job_id (and the \
document_id, if ingestion is quick; else ask kb_jobs). If bytes are missing or the hand-over fails, the upload is \
kept: repair what the error names and call this again. It goes to the collection that kb_upload_start named (else \
documents), also as a new version of a source_path.`,
  input: z.strictObject({ upload_id: UploadId }),
  output: IngestionAnswer,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "write",
  async run({ upload_id }, context) {
    const { uploads, engine, caller, signal } = context;
    const { accepted, collection } = await uploads.finish(caller.id, upload_id, async (file) => ({
      collection: file.collection,
      accepted: await engine.addFile({
        filename: file.filename,
        contentType: file.contentType,
        size: file.size,
        open: file.open,
        title: file.title,
        source_path: file.sourcePath,
        tags: [collectionTag(file.collection), ...file.tags],
      }, { signal }),
    }));
    return await followJob(accepted, collection, context);
  },
});
