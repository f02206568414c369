import { EngineError } from "../client/mod.ts";
import { withVisibleText } from "./outputs.ts";

/** A change that was not made. A result instead of an error: nothing failed, and the model decides. */
export interface Conflict {
  readonly outcome: "conflict";
  /** The document as it is now, for `if_version`; the document at the path, for a path that is taken. */
  readonly [field: string]: unknown;
  /** What to do next. */
  readonly next: string;
}

const NEXT = {
  version_conflict:
    "Nothing was changed. Read the document with kb_get, then repeat the call with its version " +
    "as if_version if the change is still right.",
  deleted: "Nothing was changed: the document was deleted. kb_restore brings it back if it is still needed.",
  conflict:
    "Nothing was changed: another document has this source_path. Use another one, or change or delete " +
    "that document first.",
};

/**
 * Makes a change. Returns a {@linkcode Conflict} if the document has another version than `if_version`, or if
 * another document has the `source_path`.
 */
export async function orConflict<T>(change: () => Promise<T>): Promise<T | Conflict> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof EngineError && (error.code === "version_conflict" || error.code === "conflict")) {
      return conflictOf(error, error.code);
    }
    throw error;
  }
}

/** Whether a result is a {@linkcode Conflict}. */
export function isConflict(result: object): result is Conflict {
  return "outcome" in result && result.outcome === "conflict" && "next" in result;
}

function conflictOf({ id, details }: EngineError, code: "version_conflict" | "conflict"): Conflict {
  const isDeleted = code === "version_conflict" && details !== undefined && details["version"] === null &&
    typeof details["changed_at"] === "string";
  const present = Object.entries(details ?? { document_id: id }).filter(([, value]) => value !== null);
  return {
    outcome: "conflict",
    ...withVisibleText(Object.fromEntries(present)),
    next: NEXT[isDeleted ? "deleted" : code],
  };
}
