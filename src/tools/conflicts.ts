import { withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import { EngineError } from "../client/mod.ts";
import type { Id } from "../contract/mod.ts";

/** A change that was not made. A result instead of an error: nothing failed, and the model decides. */
export interface Conflict {
  readonly outcome: "conflict";
  /** The document that was to be changed. */
  readonly document_id: Id;
  /** Its current version and last change; or `conflict`, the document at the path. */
  readonly [field: string]: unknown;
  /** What to do next. */
  readonly next: string;
}

const NEXT = {
  version_conflict:
    "Nothing was changed. Read the document with kb_get, then repeat the call with its version " +
    "as if_version if the change is still right.",
  deleted:
    "Nothing was changed: the document was deleted. kb_restore without if_version brings it back if it is " +
    "still needed.",
  conflict:
    "Nothing was changed: another document has this source_path. Use another one, or change or delete " +
    "that document first.",
};

/**
 * Makes a change of the document `id`. Returns a {@linkcode Conflict} if the document has another version than `if_version`, or if
 * another document has the `source_path`.
 */
export async function orConflict<T>(id: Id, change: () => Promise<T>): Promise<T | Conflict> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof EngineError && (error.code === "version_conflict" || error.code === "conflict")) {
      return conflictOf(id, error);
    }
    throw error;
  }
}

/** Whether a result is a {@linkcode Conflict}. */
export function isConflict(result: object): result is Conflict {
  return "outcome" in result && result.outcome === "conflict" && "next" in result;
}

function conflictOf(id: Id, { details = {}, code }: EngineError): Conflict {
  const known = withoutEmpty(withVisibleText(details));
  // Not spread: its document_id is that of another document.
  if (code === "conflict") {
    return { outcome: "conflict", document_id: id, conflict: known, next: NEXT.conflict };
  }
  const isDeleted = details["version"] === null && typeof details["changed_at"] === "string";
  return {
    ...known,
    outcome: "conflict",
    document_id: id,
    next: isDeleted ? NEXT.deleted : NEXT.version_conflict,
  };
}
