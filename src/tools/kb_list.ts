import * as z from "zod";
import { Cursor, DOCUMENT_GROUPS, DOCUMENT_SORTS, MAX_PAGE, MAX_TITLE_CHARS } from "../contract/mod.ts";
import { CallerTags, CollectionNames, MetadataFields, SourcePathPrefix, When } from "./arguments.ts";
import { filterCollections } from "./filter_collections.ts";
import { listDocuments } from "./list_documents.ts";
import { OutputId } from "./outputs.ts";
import { defineTool } from "./tool.ts";

/** Lists or counts documents. */
export const kbList = defineTool({
  name: "kb_list",
  title: "List or count documents",
  description: `List documents, without their text, or count them.

Use this tool when you need to:
- See what is stored or what changed
- Count by tag, collection, kind or day

Filters as in kb_search.`,
  scope: "read",
  engineVersion: "3.3.0",
  input: z.strictObject({
    collection: CollectionNames.optional().describe("One, or several: a, b."),
    tags: CallerTags.optional().describe("All."),
    tags_any: CallerTags.optional().describe("Any."),
    tags_none: CallerTags.optional().describe("None."),
    doc_type: z.string().min(1).max(50).optional().describe("note, pdf, …"),
    source_path: SourcePathPrefix.optional().describe("Prefix."),
    title: z.string().max(MAX_TITLE_CHARS).regex(/\S/, "must not be empty").optional()
      .describe("Words, or file name."),
    metadata: MetadataFields.optional().describe("Front matter: values, or {from, to}."),
    since: When.optional().describe("Date(-time), 7d, yesterday."),
    until: When.optional().describe("Inclusive."),
    sort: z.enum(DOCUMENT_SORTS).optional().describe("Default updated."),
    group_by: z.enum(DOCUMENT_GROUPS).optional().describe("Counts instead of documents."),
    limit: z.int().min(1).max(MAX_PAGE).default(50).describe("Per page."),
    cursor: Cursor.optional().describe("next_cursor."),
  }),
  output: z.looseObject({
    documents: z.array(z.looseObject({ document_id: OutputId })).optional(),
    groups: z.array(z.looseObject({ key: z.string().nullable(), count: z.number() })).optional(),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
    now: z.string(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(input, { engine, collections, signal, now }) {
    return await listDocuments(input, {
      collections: await filterCollections(input.collection, { collections, engine, signal }),
      now: now(),
      send: (request) => engine.queryDocuments(request, { signal }),
    });
  },
});
