import { z } from "zod";
import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../collections/mod.ts";
import { CallerTags, CollectionName, DocumentSourcePath, DocumentTitle, NoteText } from "./arguments.ts";
import { defineTool } from "./define.ts";
import { followJob, IngestionAnswer } from "./ingestion.ts";

/** Adds a text note through the job queue, in exactly one collection. */
export const kbAddNote = defineTool({
  name: "kb_addnote",
  title: "Add a note",
  description:
    `Stores a text note (Markdown is understood) for later searches. One fact or topic per note; write it \
so that it makes sense alone. If a note on it exists, correct that one with kb_update_note instead. Usually answers \
with the document_id at once; otherwise with a job_id for kb_jobs. The same text again is not stored twice \
(outcome duplicate: its tags are merged and it moves to this collection).`,
  input: z.strictObject({
    text: NoteText.describe("The note."),
    title: DocumentTitle.optional().describe("Weighs more than text in searches."),
    collection: CollectionName.default(DEFAULT_COLLECTION).describe(
      "documents (the user's material), memory (what you should remember about the user and your work), workspace " +
        "(scratch shared between agents) or another that kb_status lists. Omitted: documents, " +
        "also for a new version of a source_path.",
    ),
    tags: CallerTags.optional().describe("Labels to filter by later."),
    source_path: DocumentSourcePath.optional().describe(
      "Stable name such as memory/feedback.md. A new text at the same source_path replaces the old one.",
    ),
  }),
  output: IngestionAnswer,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ text, title, collection, tags, source_path }, context) {
    const { collections, engine, signal } = context;
    const name = collections.check(collection);
    const accepted = await engine.addNote({
      text,
      tags: [collectionTag(name), ...checkCallerTags(tags ?? [])],
      title,
      source_path,
    }, { signal });
    return await followJob(accepted, name, context);
  },
});
