import * as z from "zod";
import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../collections/mod.ts";
import type { NewNote } from "../client/mod.ts";
import { CallerTags, CollectionName, DocumentSourcePath, DocumentTitle, NoteText } from "./arguments.ts";
import { mayReplace } from "./existing_document.ts";
import { followJob, IngestionOutput } from "./ingestion.ts";
import { percentages } from "./progress.ts";
import { withSimilarNotes } from "./similar_notes.ts";
import { defineTool } from "./tool.ts";

/** Adds a note through the job queue, in exactly one collection. */
export const kbAddNote = defineTool({
  name: "kb_addnote",
  title: "Add a note",
  description: `Store a note (Markdown): one topic, understandable on its own.

Use this tool when you need to:
- Remember a decision, correction, preference or fact: collection memory
- Replace the text at a source_path

Returns the document_id, or a job_id for kb_jobs. If similar lists a note with the same or an outdated fact, keep one: \
kb_edit, kb_delete. A text that is stored already (outcome duplicate) moves only if you name a collection.`,
  scope: "add",
  argumentScopes: { overwrite: "write" },
  input: z.strictObject({
    text: NoteText.describe("The note."),
    title: DocumentTitle.optional().describe("Weighs more than text in searches."),
    collection: CollectionName.optional().describe(
      "documents (the user's material; default for new notes), memory (about user and work), workspace (scratch " +
        "shared by agents) or another of kb_status.",
    ),
    tags: CallerTags.optional().describe("Labels to filter by."),
    source_path: DocumentSourcePath.optional().describe(
      "Stable name such as memory/feedback.md; a new text replaces the note there.",
    ),
    overwrite: z.boolean().optional().describe("Replace any document at source_path."),
  }),
  output: IngestionOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ text, title, collection, tags, source_path, overwrite }, context) {
    const { caller, collections, engine, signal } = context;
    const isDefault = collection === undefined;
    const name = collections.check(collection ?? DEFAULT_COLLECTION);
    const note: NewNote = {
      text,
      tags: [collectionTag(name), ...checkCallerTags(tags ?? [])],
      title,
      source_path,
      overwrite,
      keepCollection: isDefault,
      addOnly: !mayReplace(caller),
    };
    const report = percentages(context.report);
    return await withSimilarNotes({ text, title, collection: name }, context, async () => {
      const submitted = await engine.addNote(note, { actor: caller.name, signal });
      return await followJob(submitted, { name, isDefault }, { ...context, report });
    });
  },
});
