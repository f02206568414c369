import * as z from "zod";
import { RelativePath } from "../contract/mod.ts";
import { CallerTags, defineTool, DocumentTitle, NoteText, present } from "../tools/mod.ts";
import { SourceArgument } from "./arguments.ts";
import { findSource } from "./find_source.ts";

/** Creates a file in a writable source. */
export const kbWrite = defineTool({
  name: "kb_write",
  title: "Create a file in a source",
  description:
    `Create a Markdown file with front matter in a writable folder of the user. Named by date and title; \
never replaces a file.

Use this tool when you need to:
- Add a document to the user's own folder
For your own memory, use kb_addnote.`,
  scope: "add",
  engineVersion: "3.4.0",
  input: z.strictObject({
    title: DocumentTitle.describe("For front matter and file name."),
    text: NoteText.describe("Markdown without front matter."),
    source: SourceArgument.describe("Needed if several are writable."),
    folder: z.string().min(1).max(1_000).refine(
      (path) => RelativePath.safeParse(path).success,
      "must be a relative path with / between its folders, without . and ..",
    ).optional().describe("Folder inside it."),
    tags: CallerTags.optional().describe("For front matter."),
    metadata: z.record(z.string().min(1).max(100), z.unknown()).optional().describe(
      "More front matter: status, sources, …",
    ),
  }),
  output: z.looseObject({
    source: z.string(),
    path: z.string(),
    document_id: z.union([z.int(), z.string()]),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run({ source: name, title, text, folder, tags = [], metadata = {} }, context) {
    const source = await findSource(name, context, ({ writable }) => writable);
    const { engine, caller, signal } = context;
    const { path, document } = await engine.writeSourceFile(
      source.source_id,
      { title, text, tags, metadata, ...(folder === undefined ? {} : { folder }) },
      { actor: caller.name, signal },
    );
    const { document_id, title: stored, version, ...rest } = present(document);
    return {
      source: source.name,
      path,
      document_id,
      ...(stored ? { title: stored } : {}),
      ...(rest.source_path ? { source_path: rest.source_path } : {}),
      ...(rest.collection ? { collection: rest.collection } : {}),
      ...(rest.tags && rest.tags.length > 0 ? { tags: rest.tags } : {}),
      ...(version ? { version } : {}),
    };
  },
});
