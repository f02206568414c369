import type { DocumentSummary } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum number of documents to list. */
const MAX_DOCUMENTS = 20;
/** Maximum number of documents among which to look for the exact title. */
const MAX_CANDIDATES = 200;

/** Documents with a title, and their number. */
export interface FoundByTitle {
  readonly documents: DocumentSummary[];
  readonly total: number;
}

/**
 * Finds documents by title: those with exactly this title, in any case, or otherwise those that have all of its words,
 * most recent first.
 *
 * @throws {EngineError} `engine_too_old` before contract 3.3, which has no search in titles.
 */
export async function findByTitle(
  title: string,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<FoundByTitle> {
  await engine.requireVersion("kb_get by title", { signal });
  const { documents = [], total } = await engine.queryDocuments({ title, limit: MAX_CANDIDATES }, { signal });
  const exact = documents.filter((document) => normalize(document.title ?? "") === normalize(title));
  if (exact.length > 0) return { documents: exact.slice(0, MAX_DOCUMENTS), total: exact.length };
  return { documents: documents.slice(0, MAX_DOCUMENTS), total };
}

function normalize(title: string): string {
  return title.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
