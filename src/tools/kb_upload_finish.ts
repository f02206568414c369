import * as z from "zod";
import { collectionTag } from "../collections/mod.ts";
import { UploadId } from "./arguments.ts";
import { mayReplace } from "./existing_document.ts";
import { followJob, IngestionOutput } from "./ingestion.ts";
import { percentages, subrange } from "./progress.ts";
import { defineTool } from "./tool.ts";

/** Share of the call that sending the file takes, if the job is waited for too. */
const SENDING_SHARE = 0.3;

/** Checks a staged file and streams it to the engine, which starts an ingestion job. */
export const kbUploadFinish = defineTool({
  name: "kb_upload_finish",
  title: "Finish a file upload",
  description: `Add a completely sent file to the knowledge base. Returns the same as kb_addnote.

Use this tool when you need to:
- Finish an upload
- Retry: after an error the upload is kept; fix what the error names`,
  scope: "add",
  input: z.strictObject({ upload_id: UploadId }),
  output: IngestionOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ upload_id }, context) {
    const { uploads, engine, caller, signal, jobWaitMs } = context;
    const addOnly = !mayReplace(caller);
    const report = percentages(context.report);
    const sendingEnd = jobWaitMs === 0 ? 1 : SENDING_SHARE;
    const reportSending = subrange(report, 0, sendingEnd);
    const { submitted, target } = await uploads.finish(caller.id, upload_id, async (file) => {
      const onRead = (bytes: number) =>
        reportSending(bytes / file.size, `${bytes} of ${file.size} bytes sent`);
      onRead(0);
      return {
        target: { name: file.collection, isDefault: file.keepCollection ?? false },
        submitted: await engine.addFile({
          filename: file.filename,
          contentType: file.contentType,
          size: file.size,
          open: () => file.open(onRead),
          title: file.title,
          source_path: file.sourcePath,
          tags: [collectionTag(file.collection), ...file.tags],
          // The scope of the key may have become narrower since the start.
          overwrite: file.overwrite && !addOnly,
          keepCollection: file.keepCollection,
          addOnly,
        }, { actor: caller.name, signal }),
      };
    }, signal);
    return await followJob(submitted, target, { ...context, report: subrange(report, sendingEnd, 1) });
  },
});
