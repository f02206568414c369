import * as z from "zod";
import { DocumentId } from "./arguments.ts";
import { OutputId, withVisibleText } from "./outputs.ts";
import { defineTool } from "./tool.ts";

/** Deletes a single document. There is no bulk form, so that a mistake costs one document. */
export const kbDelete = defineTool({
  name: "kb_delete",
  title: "Delete a document",
  description: `Delete one document for good. There is no undo.

Use this tool when you need to:
- Remove what the user asked to delete, or an obsolete note of yours

Check the document_id with kb_get first. To correct a note, call kb_update_note.`,
  input: z.strictObject({ document_id: DocumentId }),
  output: z.looseObject({ status: z.string(), document_id: OutputId, title: z.string().nullish() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ document_id }, { engine, signal }) {
    return withVisibleText(await engine.deleteDocument(document_id, { signal }));
  },
});
