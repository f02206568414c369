import { type DocumentSummary, MAX_PAGE } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum number of documents to list. */
const MAX_DOCUMENTS = 20;
/** Maximum number of pages among which to look for the exact title: hundreds of folders may have a `README.md`. */
const MAX_PAGES = 10;

/** Documents with a title, and their number. */
export interface FoundByTitle {
  readonly documents: DocumentSummary[];
  readonly total: number;
}

/**
 * Finds documents by title or file name: those with exactly this title, in any case, otherwise those with exactly this
 * file name, or otherwise those that have all of its words, most recent first. Before contract 3.6, engines look for
 * titles only.
 *
 * @throws {EngineError} `engine_too_old` before contract 3.3, which has no search in titles.
 */
export async function findByTitle(
  title: string,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<FoundByTitle> {
  await engine.requireVersion("kb_get by title", { signal });
  const wanted = normalize(title);
  const titled: DocumentSummary[] = [];
  const named: DocumentSummary[] = [];
  let first: FoundByTitle | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { documents = [], total, next_cursor } = await engine.queryDocuments(
      { title, limit: MAX_PAGE, cursor },
      { signal },
    );
    first ??= { documents: documents.slice(0, MAX_DOCUMENTS), total };
    titled.push(...documents.filter((document) => normalize(document.title ?? "") === wanted));
    named.push(...documents.filter(({ source_path }) => isAtEndOf(normalize(source_path ?? ""), wanted)));
    cursor = next_cursor ?? undefined;
    if (titled.length > 0 || cursor === undefined) break;
  }
  const exact = titled.length > 0 ? titled : named;
  if (exact.length > 0) return { documents: exact.slice(0, MAX_DOCUMENTS), total: exact.length };
  return first ?? { documents: [], total: 0 };
}

/** Whether a name is the last segment of a path. */
function isAtEndOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

function normalize(title: string): string {
  return title.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
