import * as z from "zod";
import { Cursor, type Id, MAX_PAGE } from "../contract/mod.ts";
import { present } from "../presentation/mod.ts";
import { DocumentId } from "./arguments.ts";
import { OutputId } from "./outputs.ts";
import { readPassages } from "./passages.ts";
import { presentRevisions, presentTrash } from "./revision_output.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** Maximum number of chunks of a former version in the output: about 6,500 tokens, as in kb_get. */
const MAX_CHUNKS = 20;

/** Returns the former versions of a document, one of them, or the deleted documents. */
export const kbHistory = defineTool({
  name: "kb_history",
  title: "Show former versions",
  description: `List former versions of a document, or deleted documents.

Use this tool when you need to:
- See what changed, when and by whom, or read a former version
- Find a deleted document: omit document_id

kb_restore brings them back.`,
  scope: "read",
  engineVersion: "3.3.0",
  input: z.strictObject({
    document_id: DocumentId.optional(),
    revision: z.int().min(1).optional().describe("A version: returns its text."),
    limit: z.int().min(1).max(MAX_PAGE).default(20).describe("Maximum rows."),
    cursor: Cursor.optional().describe("next_cursor."),
  }),
  output: z.looseObject({
    revisions: z.array(z.looseObject({})).optional(),
    deleted: z.array(z.looseObject({ document_id: OutputId })).optional(),
    next_cursor: z.string().nullish(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ document_id, revision, ...page }, context) {
    const { engine, signal } = context;
    if (document_id !== undefined && revision !== undefined) {
      return await formerVersion(document_id, { version: revision, cursor: page.cursor }, context);
    }
    if (document_id !== undefined) {
      return presentRevisions(await engine.listRevisions(document_id, page, { signal }));
    }
    if (revision !== undefined) throw new ToolError("revision needs the document_id of the document.");
    return presentTrash(await engine.listTrash(page, { signal }));
  },
});

/** Returns a page of a version's text. The cursor is the index of its first chunk. */
async function formerVersion(
  id: Id,
  { version, cursor = "0" }: { version: number; cursor: string | undefined },
  { engine, signal }: ToolContext,
) {
  if (!/^\d{1,9}$/.test(cursor)) {
    throw new ToolError("cursor must be the next_cursor of the previous page of this version.");
  }
  const offset = Number(cursor);
  const document = await engine.document(id, { version, offset, limit: MAX_CHUNKS }, { signal });
  const { chunks = [], chunks_total = chunks.length, chunks_offset: _, ...details } = document;
  const next = offset + chunks.length;
  return {
    ...present(details),
    chunks: readPassages({ chunks, first: offset }, { from: offset }).passages,
    ...(next < chunks_total && chunks.length > 0 ? { next_cursor: String(next) } : {}),
  };
}
