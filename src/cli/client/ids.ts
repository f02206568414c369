import { EngineError } from "../../client/mod.ts";
import { ConfigError } from "../../config/mod.ts";
import type { Id } from "../../contract/mod.ts";
import { EXIT_PARTLY } from "../exit_status.ts";
import type { ClientContext } from "./client_context.ts";
import { errorText } from "./error_text.ts";

/**
 * Parses an id: an integer of the embedded engine, or the text of another engine.
 *
 * @throws {ConfigError} For an empty one, such as an unset variable of a script.
 */
export function parseId(text: string): Id {
  if (text.trim() === "") throw new ConfigError("The id must not be empty");
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/**
 * Changes documents one after the other. A document that cannot be changed is reported, and the next one is changed.
 *
 * With JSON, prints `changed` and `failed`.
 *
 * @param change Changes a document.
 * @param describe Returns the line about a changed document.
 * @returns The exit status: 1 if nothing was changed, 2 if some documents were not.
 */
export async function changeEach<Result>(
  ids: readonly string[],
  { output, signal }: ClientContext,
  { change, describe }: {
    readonly change: (id: Id) => Promise<Result>;
    readonly describe: (result: Result) => string;
  },
): Promise<number> {
  const changed: Result[] = [];
  const failed: { document_id: Id; code: string; error: string }[] = [];
  for (const id of [...new Set(ids)].map(parseId)) {
    try {
      const result = await change(id);
      changed.push(result);
      if (!output.isJson) output.lines(describe(result));
    } catch (error) {
      // The next document would fail for the same reason.
      if (!(error instanceof EngineError) || signal.aborted || !isAboutDocument(error)) throw error;
      const message = errorText(error.message);
      failed.push({ document_id: id, code: error.code, error: message });
      output.error(message);
    }
  }
  if (output.isJson) output.json({ changed, failed });
  return failed.length === 0 ? 0 : changed.length === 0 ? 1 : EXIT_PARTLY;
}

function isAboutDocument({ code }: EngineError): boolean {
  return code === "not_found" || code === "not_a_note" || code === "version_conflict" || code === "conflict";
}
