import { EngineError } from "../client/mod.ts";
import { collectionChange } from "../collections/mod.ts";
import type { Document, Id } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** A document before a move, and its tags afterwards. */
export interface MovedDocument {
  readonly document: Document;
  readonly tags: readonly string[];
  /** Version afterwards. Since contract 3.3. */
  readonly version?: number | null | undefined;
}

/** Destination and condition of a move. */
export interface Move {
  /** Checked name of the collection; null for none. */
  readonly target: string | null;
  /** Version that the document must have. */
  readonly ifVersion?: number | undefined;
}

/**
 * Puts a document into exactly one collection, or into none. Sends no change if it is there already.
 *
 * @throws {EngineError} If the document cannot be read or changed; `version_conflict` for another version.
 */
export async function moveDocument(
  id: Id,
  { target, ifVersion }: Move,
  { engine, caller, signal }: Pick<ToolContext, "engine" | "caller" | "signal">,
): Promise<MovedDocument> {
  if (ifVersion !== undefined) await engine.requireVersion("if_version", { signal });
  const conditional = { ifVersion, actor: caller.name, signal };
  const document = await engine.document(id, { chunks: false }, { signal }).catch(async (error) => {
    // The change of a deleted document is a conflict for who expects a version of it.
    if (ifVersion !== undefined && isNotFound(error)) await engine.changeTags(id, {}, conditional);
    throw error;
  });
  const change = collectionChange(document.tags, target);
  const isCurrent = ifVersion === undefined || document.version === ifVersion;
  if (!change && isCurrent) return { document, tags: document.tags, version: document.version };
  // With a stale version the engine rejects even an empty change, and says who made the last one.
  const { tags, version } = await engine.changeTags(id, change ?? {}, conditional);
  return { document, tags, version };
}

function isNotFound(error: unknown): boolean {
  return error instanceof EngineError && error.code === "not_found";
}
