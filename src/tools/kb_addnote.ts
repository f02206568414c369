import * as z from "zod";
import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../collections/mod.ts";
import { CallerTags, CollectionName, DocumentSourcePath, DocumentTitle, NoteText } from "./arguments.ts";
import { defineTool } from "./define.ts";
import { followJob, IngestionAnswer } from "./ingestion.ts";
import { scale } from "./progress.ts";

/** Adds a text note through the job queue, in exactly one collection. */
export const kbAddNote = defineTool({
  name: "kb_addnote",
  title: "Add a note",
  icon: "M3 0h2v8H3zM0 3h8v2H0z",
  description:
    `Stores a note (Markdown) for later searches: one fact or topic, worded to make sense alone. If a note on it \
exists, correct that with kb_update_note instead. Answers the document_id or, if it takes longer, a job_id for kb_jobs \
with wait. The same text again is not stored twice (outcome duplicate: tags are merged, it moves to this collection).`,
  input: z.strictObject({
    text: NoteText.describe("The note."),
    title: DocumentTitle.optional().describe("Weighs more than text in searches."),
    collection: CollectionName.default(DEFAULT_COLLECTION).describe(
      "documents (the user's material), memory (what to remember of user and work), workspace (scratch " +
        "shared by agents) or another of kb_status; also for a new version of a source_path.",
    ),
    tags: CallerTags.optional().describe("Labels to filter by."),
    source_path: DocumentSourcePath.optional().describe(
      "Stable name such as memory/feedback.md; a new text at it replaces the old.",
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
    return await followJob(accepted, name, context, scale(context.report));
  },
});
