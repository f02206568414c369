import * as z from "zod";
import { collectionTag } from "../collections/mod.ts";
import { defineTool } from "./define.ts";
import { followJob, IngestionAnswer } from "./ingestion.ts";
import { partOf, scale } from "./progress.ts";
import { UploadId } from "./upload_state.ts";

/** How much of the call handing the bytes over is, when the job is waited for as well. */
const HAND_OVER = 0.3;

/** Checks a staged file and streams it to the engine, which makes a job of it. */
export const kbUploadFinish = defineTool({
  name: "kb_upload_finish",
  title: "Finish a file upload",
  icon: "M0 4l1-1 2 2 4-4 1 1-5 5z",
  description: `Hands a complete upload to the knowledge base. Answers as kb_addnote does. If bytes are \
missing or it fails, the upload is kept: repair what the error names and call this again.`,
  input: z.strictObject({ upload_id: UploadId }),
  output: IngestionAnswer,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "write",
  async run({ upload_id }, context) {
    const { uploads, engine, caller, signal, jobWaitMs } = context;
    const report = scale(context.report);
    const split = jobWaitMs === 0 ? 1 : HAND_OVER;
    const handOver = partOf(report, 0, split);
    const { accepted, collection } = await uploads.finish(caller.id, upload_id, async (file) => {
      const onTaken = (bytes: number) =>
        handOver(bytes / file.size, `${bytes} of ${file.size} bytes handed over`);
      onTaken(0);
      return {
        collection: file.collection,
        accepted: await engine.addFile({
          filename: file.filename,
          contentType: file.contentType,
          size: file.size,
          open: () => file.open(onTaken),
          title: file.title,
          source_path: file.sourcePath,
          tags: [collectionTag(file.collection), ...file.tags],
        }, { signal }),
      };
    }, signal);
    return await followJob(accepted, collection, context, partOf(report, split, 1));
  },
});
