/** Changes that somebody else made meanwhile. */
import { formatTime } from "./format.js";
import { CallError } from "./mcp.js";

/**
 * @param {import("./mcp.js").Output} output Of a tool that takes `if_version`.
 * @throws {CallError} If nothing was changed, because the document has changed since.
 */
export function rejectConflict({ outcome, changed_by, changed_at, next }) {
  if (outcome !== "conflict") return;
  if (changed_at === undefined) {
    throw new CallError(next ?? "Nothing was changed: another document is in the way.");
  }
  throw new CallError(
    `Nothing was changed: ${changed_by ?? "somebody"} changed this document on ${
      formatTime(changed_at)
    }, after you opened it. Reload the page to see it.`,
  );
}
