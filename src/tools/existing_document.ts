import { EngineError, type NewJobField } from "../client/mod.ts";
import { collectionChange, collectionTag, splitTags } from "../collections/mod.ts";
import { type Document, type Id, type Job, MAX_SOURCE_PATH_CHARS } from "../contract/mod.ts";
import { includesScope } from "../keys/mod.ts";
import { isEmpty, withVisibleText } from "../presentation/mod.ts";
import { quoteText } from "../text/mod.ts";
import { moveDocument } from "./move_document.ts";
import { type Caller, type ToolContext, ToolError } from "./tool.ts";

/** Collection for a document. */
export interface TargetCollection {
  readonly name: string;
  /** Whether the call named none, so that a document that is stored already keeps its own. */
  readonly isDefault: boolean;
}

/** A job that has found an existing document. */
export interface MergedJob extends Pick<Job, "outcome" | "moved_from" | "restorable_version"> {
  readonly document_id: Id;
  /** Fields that the engine does not know. */
  readonly unsupported: readonly NewJobField[];
}

type Context = Pick<ToolContext, "engine" | "caller" | "signal">;

const REPLACES_SILENTLY =
  "The engine is older than contract 3.3: it replaces whatever is at a source_path, also without overwrite.";
const CANNOT_KEEP_COLLECTION =
  "The engine is older than contract 3.3: if the document was in another collection, it was moved; " +
  "kb_set_collection moves it back.";

/**
 * Describes a document that a job has replaced or found again, as part of a tool's output. Ensures that it is in
 * one collection only: in the target, or in its own if the target is only the default.
 *
 * @throws {ToolError} If the collection could not be set.
 */
export async function describeExisting(
  { document_id, outcome, moved_from, restorable_version, unsupported }: MergedJob,
  target: TargetCollection,
  context: Context,
): Promise<Record<string, unknown> & { collection: string | null }> {
  const { document, collection, movedFrom = moved_from } = mayReplace(context.caller)
    ? await settleCollection(document_id, target, context)
    : await readUnchanged(document_id, context);
  const notes: string[] = [];
  const details: Record<string, unknown> = isEmpty(movedFrom) ? {} : { moved_from: movedFrom };
  if (outcome === "duplicate") {
    const { title, source_path } = withVisibleText(document);
    if (!isEmpty(title)) details["title"] = title;
    if (!isEmpty(source_path)) details["source_path"] = source_path;
    notes.push(
      `The content was already stored; ${
        source_path
          ? `its source_path is ${quoteText(source_path, MAX_SOURCE_PATH_CHARS)}`
          : "it has no source_path"
      }.`,
    );
    if (!mayReplace(context.caller)) {
      notes.push(
        "It was not changed, since your key only adds: its tags and collection are those from before.",
      );
    } else if (unsupported.includes("keep_collection")) notes.push(CANNOT_KEEP_COLLECTION);
    else if (collection !== target.name) {
      notes.push(`It stays ${collection === null ? "in no collection" : `in ${quoteText(collection)}`}.`);
    }
  }
  if (outcome === "replaced") {
    if (isEmpty(restorable_version)) notes.push("The previous content was not kept.");
    else {
      details["restorable_version"] = restorable_version;
      details["next"] = `kb_restore {"document_id":${JSON.stringify(document_id)}} undoes this.`;
    }
  }
  if (unsupported.includes("overwrite")) notes.push(REPLACES_SILENTLY);
  return { collection, ...details, ...(notes.length > 0 ? { note: notes.join(" ") } : {}) };
}

/** Whether a caller may replace and change documents; one that may not only adds new ones. */
export function mayReplace({ scope }: Pick<Caller, "scope">): boolean {
  return includesScope(scope, "write");
}

/** Returns a document that its job has not changed. */
async function readUnchanged(id: Id, { engine, signal }: Context): Promise<SettledDocument> {
  const document = await engine.document(id, { chunks: false }, { signal });
  return { document, collection: splitTags(document.tags).collection };
}

/** A document as its job left it, and the collection that it is in now. */
interface SettledDocument {
  readonly document: Document;
  readonly collection: string | null;
  /** Collection that this call has moved it out of. Only an engine of another make leaves that to its client. */
  readonly movedFrom?: string | null;
}

async function settleCollection(
  id: Id,
  target: TargetCollection,
  context: Context,
): Promise<SettledDocument> {
  const { engine, caller, signal } = context;
  try {
    if (!target.isDefault) {
      const { document } = await moveDocument(id, { target: target.name }, context);
      const movedFrom = ownCollection(document.tags, target.name);
      return { document, collection: target.name, ...(movedFrom === target.name ? {} : { movedFrom }) };
    }
    const document = await engine.document(id, { chunks: false }, { signal });
    const collection = ownCollection(document.tags, target.name);
    // An engine without the rule of one collection has added that of the job to the document's own.
    const change = collection === null ? undefined : collectionChange(document.tags, collection);
    if (change) await engine.changeTags(id, change, { actor: caller.name, signal });
    return { document, collection };
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    const problem = target.isDefault
      ? "its collection is unknown"
      : `it could not be moved to collection "${target.name}"`;
    throw new ToolError(
      `The content is stored as the existing document ${id}, but ${problem}: ${error.message} ` +
        `Call ${target.isDefault ? "kb_get" : "kb_set_collection"} for document ${id}.`,
      { cause: error },
    );
  }
}

/** Returns the collection of some tags: of several, one that the job has not added. */
function ownCollection(tags: readonly string[], added: string): string | null {
  const others = tags.filter((tag) => tag !== collectionTag(added));
  return splitTags(others).collection ?? splitTags(tags).collection;
}
