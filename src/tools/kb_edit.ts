import * as z from "zod";
import { splitTags } from "../collections/mod.ts";
import { present } from "../presentation/mod.ts";
import { quoteText } from "../text/mod.ts";
import { DocumentId, IfVersion } from "./arguments.ts";
import { isConflict, orConflict } from "./conflicts.ts";
import { defineTool, ToolError } from "./tool.ts";

/** The engine checks the limits: in the schema, they would cost tokens in every conversation. */
const Text = z.string();
/** Empty for an argument that models name although they omit it. */
const TextOrNone = Text.min(1);

/** Changes parts of a document in one call of the engine, which makes all of the changes or none. */
export const kbEdit = defineTool({
  name: "kb_edit",
  title: "Edit a document",
  description: `Change parts of a document: all of the changes or none.

Use this tool when you need to:
- Rename, retag or annotate any document
- Change part of a note: append, prepend, replace, section

Returns the changed lines; kb_restore undoes it.`,
  scope: "write",
  engineVersion: "3.3.0",
  input: z.strictObject({
    document_id: DocumentId,
    title: TextOrNone.optional().describe("New title."),
    add_tags: z.array(Text).optional().describe("No collections."),
    remove_tags: z.array(Text).optional().describe("No collections."),
    source_path: TextOrNone.optional().describe("New path."),
    metadata: z.looseObject({}).optional().describe("{field: value} to set; null removes."),
    append: TextOrNone.optional().describe("Lines at the end."),
    prepend: TextOrNone.optional().describe("Lines at the top."),
    replace: z.strictObject({ old: Text, new: Text }).optional().describe("old must occur once."),
    section: z.strictObject({ heading: Text, text: Text }).optional()
      .describe("New text under a Markdown heading."),
    if_version: IfVersion,
  }),
  output: z.looseObject({ outcome: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ document_id, if_version, ...edit }, { engine, caller, signal }) {
    const add_tags = checkedTags(edit.add_tags, "add_tags");
    const remove_tags = checkedTags(edit.remove_tags, "remove_tags");
    const options = { ifVersion: if_version, actor: caller.name, signal };
    const edited = await orConflict(
      document_id,
      () => engine.editDocument(document_id, { ...edit, add_tags, remove_tags }, options),
    );
    if (isConflict(edited)) return edited;
    const { changed, excerpts, ...document } = edited;
    return {
      outcome: changed ? "edited" : "unchanged",
      ...present({ ...document, ...(changed && excerpts && { excerpts }) }),
    };
  },
});

function checkedTags(tags: readonly string[] | undefined, field: string): string[] | undefined {
  const kept = splitTags(tags ?? []).tags;
  const collection = tags?.find((tag) => !kept.includes(tag));
  if (collection === undefined) return tags?.map((tag) => tag.trim());
  throw new ToolError(
    `${field} must not contain ${
      quoteText(collection)
    }: kb_set_collection moves a document. Nothing was changed.`,
  );
}
