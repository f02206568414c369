import * as z from "zod";
import { splitTags } from "../collections/mod.ts";
import { withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import { CollectionName, DocumentId, IfVersion } from "./arguments.ts";
import { isConflict, orConflict } from "./conflicts.ts";
import { moveDocument } from "./move_document.ts";
import { OutputId } from "./outputs.ts";
import { defineTool } from "./tool.ts";

/** Moves a document to a collection. */
export const kbSetCollection = defineTool({
  name: "kb_set_collection",
  title: "Move a document to a collection",
  description: `Move a document to another collection. Its other tags stay.

Use this tool when you need to:
- Put a document into the right collection
- Take it out of all collections: null`,
  scope: "write",
  input: z.strictObject({
    document_id: DocumentId,
    // Not `nullable()`, whose errors would say only that a string is missing.
    collection: z.union([CollectionName, z.null()]).describe("As in kb_addnote, or null."),
    if_version: IfVersion,
  }),
  output: z.looseObject({
    document_id: OutputId,
    collection: z.string().nullish(),
    previous_collection: z.string().nullish(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ document_id, collection, if_version }, context) {
    const { collections } = context;
    // Some models write null as text.
    const isNull = collection === null || (collection === "null" && !collections.names.includes(collection));
    const target = isNull ? null : collections.check(collection);
    const moved = await orConflict(
      document_id,
      () => moveDocument(document_id, { target, ifVersion: if_version }, context),
    );
    if (isConflict(moved)) return moved;
    const { document, tags, version } = moved;
    return {
      document_id: document.document_id,
      ...withoutEmpty({ version }),
      ...splitTags(withVisibleText(tags)),
      previous_collection: splitTags(withVisibleText(document.tags)).collection,
    };
  },
});
