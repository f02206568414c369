import * as z from "zod";
import { AnswerId } from "./answers.ts";
import { DocumentId } from "./arguments.ts";
import { defineTool } from "./define.ts";
import { visible } from "./visible.ts";

/** Deletes one document; there is no bulk form on purpose. */
export const kbDelete = defineTool({
  name: "kb_delete",
  title: "Delete a document",
  icon: "M0 1h8v1H0zM1 3h6L6 8H2z",
  description:
    `Deletes one document with all its chunks, for good: there is no undo. Make sure of the document_id (kb_get) \
first. To correct a note, use kb_update_note.`,
  input: z.strictObject({ document_id: DocumentId }),
  output: z.looseObject({ status: z.string(), document_id: AnswerId, title: z.string().nullish() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ document_id }, { engine, signal }) {
    return visible(await engine.deleteDocument(document_id, { signal }));
  },
});
