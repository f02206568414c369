import * as z from "zod";
import { DocumentAnswer, present, withPlace } from "./answers.ts";
import { DocumentId, DocumentTitle, NoteText } from "./arguments.ts";
import { defineTool } from "./define.ts";

/** Chunks in the answer: all of an ordinary note, and no second copy of a book. */
const ANSWERED_CHUNKS = 10;

/** Replaces a note's text in place (decision D3): one synchronous call, one transaction at the engine. */
export const kbUpdateNote = defineTool({
  name: "kb_update_note",
  title: "Correct a note",
  icon: "M0 8V6l6-6 2 2-6 6z",
  description: `Replaces the text of a note and keeps its document_id, collection and tags. \
Give the whole text: it is not appended. Only notes (doc_type note); for a file, upload the new version with the \
same source_path.`,
  input: z.strictObject({
    document_id: DocumentId,
    text: NoteText.describe("The whole new text."),
    title: DocumentTitle.optional().describe("New title. Omit to keep the one it was given."),
  }),
  output: DocumentAnswer,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ document_id, text, title }, { engine, signal }) {
    const document = await engine.updateNote(document_id, { text, title }, { signal });
    const { chunks = [], chunks_total, chunks_offset: _, ...details } = document;
    return present({
      ...details,
      chunk_count: details.chunk_count ?? chunks_total ?? chunks.length,
      chunks: chunks.slice(0, ANSWERED_CHUNKS).map(withPlace),
    });
  },
});
