import * as z from "zod";
import { movePlan, splitTags } from "../collections/mod.ts";
import { AnswerId } from "./answers.ts";
import { CollectionName, DocumentId } from "./arguments.ts";
import { defineTool } from "./define.ts";
import { visible } from "./visible.ts";

/** Moves a document: one call of the contract that removes the old collection's tag first and then adds the new. */
export const kbSetCollection = defineTool({
  name: "kb_set_collection",
  title: "Move a document to a collection",
  icon: "M0 1h3l1 1h4v5H0z",
  description:
    `Moves a document to another collection; it leaves the one it was in and keeps its other tags. \
collection: null takes it out of every collection, and only searches without a collection find it then.`,
  input: z.strictObject({
    document_id: DocumentId,
    // A union, and not `nullable()`, of which errors would say only that a string is missing.
    collection: z.union([CollectionName, z.null()]).describe(
      "As in kb_addnote, or null.",
    ),
  }),
  output: z.looseObject({
    document_id: AnswerId,
    collection: z.string().nullable(),
    previous_collection: z.string().nullable(),
    tags: z.array(z.string()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "write",
  async run({ document_id, collection }, { engine, collections, signal }) {
    const target = collection === null ? null : collections.check(collection);
    const document = await engine.document(document_id, { chunks: false }, { signal });
    const before = splitTags(visible(document.tags));
    const plan = movePlan(document.tags, target);
    const after = plan.remove.length + plan.add.length === 0
      ? document
      : await engine.changeTags(document_id, plan, { signal });
    return {
      document_id: document.document_id,
      ...splitTags(visible(after.tags)),
      previous_collection: before.collection,
    };
  },
});
