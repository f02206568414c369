import { collectionChange } from "../collections/mod.ts";
import type { Document, Id } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** A document before a move, and its tags afterwards. */
export interface MovedDocument {
  readonly document: Document;
  readonly tags: readonly string[];
}

/**
 * Puts a document into exactly one collection, or into none. Sends no change if it is there already.
 *
 * @param target Checked name of the collection; null for none.
 * @throws {EngineError} If the document cannot be read or changed.
 */
export async function moveDocument(
  id: Id,
  target: string | null,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<MovedDocument> {
  const document = await engine.document(id, { chunks: false }, { signal });
  const change = collectionChange(document.tags, target);
  if (!change) return { document, tags: document.tags };
  const { tags } = await engine.changeTags(id, change, { signal });
  return { document, tags };
}
