import { type EngineClient, EngineError } from "../client/mod.ts";
import { splitTags } from "../collections/mod.ts";
import { dateInputTime, type DocumentListRequest, type DocumentSummary } from "../contract/mod.ts";
import type { ListPage, SendList } from "./list_page.ts";

/** Options of {@linkcode sendToAnyEngine}. */
export interface QueryOptions {
  readonly engine: EngineClient;
  readonly signal: AbortSignal;
}

/**
 * Returns a function that lists documents, most recent first, with any engine. Before contract 3.3, an engine filters by
 * one tag, type and time; each page is then filtered by the rest, as far as documents show it.
 */
export function sendToAnyEngine({ engine, signal }: QueryOptions): SendList {
  return async (request) => {
    try {
      await engine.requireVersion("queryDocuments", { signal });
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "engine_too_old") throw error;
      return await queryOlderEngine(request, { engine, signal });
    }
    return await engine.queryDocuments(request, { signal });
  };
}

async function queryOlderEngine(
  request: DocumentListRequest,
  { engine, signal }: QueryOptions,
): Promise<ListPage> {
  const { tags: [tag] = [], doc_type, since, limit, cursor, metadata, language } = request;
  const page = await engine.documents({ tag, doc_type, since, limit, cursor }, { signal });
  const documents = page.documents.filter((document) => matches(document, request));
  const isComplete = documents.length === page.documents.length;
  const ignored = [...(metadata ? ["metadata"] : []), ...(language ? ["language"] : [])];
  return {
    documents,
    // The engine also counted what was filtered out here.
    ...(isComplete ? { total: page.total ?? undefined } : {}),
    next_cursor: page.next_cursor,
    note: "The engine is older than contract 3.3: it lists without all filters" +
      (isComplete ? "" : ", and this page was filtered afterwards") +
      (ignored.length > 0 ? `; ${ignored.join(" and ")} had no effect.` : "."),
  };
}

/** Whether a document passes the filters that its summary shows. */
function matches(document: DocumentSummary, filters: DocumentListRequest): boolean {
  const { tags = [], tags_any, tags_none = [], collections, source_path_prefix: prefix = "", until } =
    filters;
  const changed = document.updated_at ?? document.created_at;
  return tags.every((tag) => document.tags.includes(tag)) &&
    (tags_any === undefined || tags_any.some((tag) => document.tags.includes(tag))) &&
    !tags_none.some((tag) => document.tags.includes(tag)) &&
    (collections === undefined || collections.includes(splitTags(document.tags).collection ?? "")) &&
    (filters.doc_type === undefined || document.doc_type === filters.doc_type) &&
    (document.source_path ?? "").startsWith(prefix) &&
    !(until !== undefined && changed && Date.parse(changed) > dateInputTime(until, "until"));
}
