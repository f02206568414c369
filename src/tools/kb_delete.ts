import * as z from "zod";
import { withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import { DocumentId, IfVersion } from "./arguments.ts";
import { isConflict, orConflict } from "./conflicts.ts";
import { OutputId } from "./outputs.ts";
import { defineTool } from "./tool.ts";

/** Deletes a single document. There is no bulk form, so that a mistake costs one document. */
export const kbDelete = defineTool({
  name: "kb_delete",
  title: "Delete a document",
  description:
    `Delete one document. kb_restore undoes it until restorable_until; if that is missing, it is gone for good.

Use this tool when you need to:
- Remove what the user asked to delete, or an obsolete note of yours

Check the document_id with kb_get first. To correct a note, call kb_edit.`,
  scope: "write",
  input: z.strictObject({ document_id: DocumentId, if_version: IfVersion }),
  output: z.looseObject({
    status: z.string(),
    document_id: OutputId,
    title: z.string().nullish(),
    restorable_until: z.string().nullish(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ document_id, if_version }, { engine, caller, signal }) {
    const options = { ifVersion: if_version, actor: caller.name, signal };
    const deleted = await orConflict(document_id, () => engine.deleteDocument(document_id, options));
    if (isConflict(deleted)) return { status: "conflict", ...deleted };
    const { title, ...confirmation } = withVisibleText(deleted);
    return { ...withoutEmpty(confirmation), status: "deleted", document_id: deleted.document_id, title };
  },
});
