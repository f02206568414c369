import { EngineError } from "../client/mod.ts";
import type { Document, DocumentQuery } from "../contract/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "./define.ts";
import { oneLine } from "../tools/mod.ts";
import { readableIds } from "./parse_uri.ts";

/**
 * Fetches the document that an id of a URI means, readable or plain.
 *
 * @returns Undefined when there is none.
 * @throws {EngineError} For anything else that goes wrong at the engine.
 */
export async function findDocument(
  id: string,
  query: DocumentQuery,
  { engine, signal }: Pick<ReadContext, "engine" | "signal">,
): Promise<Document | undefined> {
  for (const candidate of readableIds(id)) {
    try {
      return await engine.document(candidate, query, { signal });
    } catch (error) {
      if (!isMissing(error, candidate)) throw error;
    }
  }
  return undefined;
}

/** An engine that counts in integers may call any other id invalid, instead of saying that nothing has it. */
function isMissing(error: unknown, id: string): boolean {
  if (!(error instanceof EngineError)) return false;
  return error.code === "not_found" || (error.code === "invalid" && !/^\d+$/.test(id));
}

/** There is no document with the id in a URI. */
export function noDocument(uri: string, id: string): ResourceNotFoundError {
  const plain = readableIds(id)[0] ?? id;
  return new ResourceNotFoundError(
    uri,
    `There is no document ${
      JSON.stringify(oneLine(plain))
    }; it may have been deleted. Find documents with kb_search, or read ` +
      `kb://collections/{name} for what a collection holds.`,
  );
}
