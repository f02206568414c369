import * as z from "zod";
import { present } from "../presentation/mod.ts";
import { DocumentId, DocumentTitle, IfVersion, NoteText } from "./arguments.ts";
import { isConflict, orConflict } from "./conflicts.ts";
import { DocumentOutput } from "./outputs.ts";
import { readPassages } from "./passages.ts";
import { defineTool } from "./tool.ts";

/** Maximum number of chunks in the output: all of an ordinary note, but not a second copy of a book. */
const MAX_CHUNKS = 10;

/** Replaces a note's text in place (decision D3): one synchronous call, one transaction in the engine. */
export const kbUpdateNote = defineTool({
  name: "kb_update_note",
  title: "Correct a note",
  description: `Replace the text of a note; its document_id, collection, tags and front matter stay.

Use this tool when you need to:
- Correct or extend a note: pass the whole new text

Only for doc_type note; kb_edit changes a part. To replace a file, upload it again with the same source_path.`,
  scope: "write",
  input: z.strictObject({
    document_id: DocumentId,
    text: NoteText.describe("All of it. Front matter in it replaces the old."),
    title: DocumentTitle.optional().describe("New title. Omit to keep one that was set."),
    if_version: IfVersion,
  }),
  output: DocumentOutput.partial({ collection: true, tags: true }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ document_id, text, title, if_version }, { engine, caller, signal }) {
    const options = { ifVersion: if_version, actor: caller.name, signal };
    const document = await orConflict(
      document_id,
      () => engine.updateNote(document_id, { text, title }, options),
    );
    if (isConflict(document)) return document;
    const { chunks = [], chunks_total, chunks_offset: _, ...details } = document;
    return {
      ...present(details),
      chunk_count: details.chunk_count ?? chunks_total ?? chunks.length,
      chunks: readPassages({ chunks, first: 0 }, { from: 0, limit: MAX_CHUNKS }).passages,
    };
  },
});
