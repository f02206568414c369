import * as z from "zod";
import { EngineError } from "../client/mod.ts";
import {
  Cursor,
  DEFAULT_TOP,
  type Id,
  MAX_BUDGET_TOKENS,
  MAX_QUERY_CHARS,
  MAX_TOP,
  MIN_BUDGET_TOKENS,
  SEARCH_DETAILS,
  SEARCH_MODES,
  SEARCH_SORTS,
  type SearchRequest,
  type SearchResponse,
} from "../contract/mod.ts";
import { withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import {
  CallerTags,
  CollectionNames,
  DocumentId,
  LanguageCode,
  MetadataFields,
  SourcePathPrefix,
  When,
} from "./arguments.ts";
import { EncodedOutput } from "./encoded_output.ts";
import type { FilterArguments } from "./filter_arguments.ts";
import { filterCollections } from "./filter_collections.ts";
import { listDocuments, type PresentedList } from "./list_documents.ts";
import { sendToAnyEngine } from "./list_older_engine.ts";
import { SearchResultOutput } from "./outputs.ts";
import { listBudget } from "./present_list.ts";
import { resolveTimes, toSeconds } from "./relative_time.ts";
import { resultHint } from "./result_hint.ts";
import { type SearchFilters, searchFilters, toSearchRequest } from "./search_request.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** A query without words, which matches every document. */
const MATCHES_ALL = /^[\s*"]*$/;

/** Searches for passages. */
export const kbSearch = defineTool({
  name: "kb_search",
  title: "Search the knowledge base",
  description:
    `Search for passages (chunks), best first, with their document and location (heading, page or lines).

Use this tool when you need to:
- Recall what is known when a task starts: collection memory
- Answer a question that stored documents or notes may cover
- Check what is stored before you add a note

For complex queries, try 2–3 variant phrasings, deduplicating results by chunk_id. For precision, \
rerank the returned results using your own judgement. Scores compare \
within one response only. Read around a hit with kb_get.`,
  scope: "read",
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARS)
      .describe('A question, keywords, identifiers. Operators: "exact phrase" and -excluded.'),
    top: z.int().min(1).max(MAX_TOP).default(DEFAULT_TOP).describe("Maximum results."),
    collection: CollectionNames.optional().describe("One, or several: a, b."),
    tags: CallerTags.optional().describe("All of these."),
    tags_any: CallerTags.optional().describe("Any."),
    tags_none: CallerTags.optional().describe("None."),
    doc_type: z.string().min(1).max(50).optional()
      .describe("note, pdf, xlsx, email, …"),
    language: LanguageCode.optional().describe("ISO 639-1."),
    document_id: DocumentId.optional().describe("Only in this document."),
    source_path: SourcePathPrefix.optional().describe("Prefix."),
    metadata: MetadataFields.optional().describe("Front matter: {field: value}."),
    since: When.optional().describe("Changed or added since: date(-time), 7d, 2w, yesterday."),
    until: When.optional().describe("Inclusive."),
    mode: z.enum(SEARCH_MODES).optional()
      .describe("Default hybrid: by words (fts) and meaning (vector)."),
    fts_only: z.boolean().optional().describe("As mode fts: for names, codes, quotes."),
    sort: z.enum(SEARCH_SORTS).optional().describe("recent: last changed first."),
    recency: z.number().min(0).max(1).optional().describe("Prefers recent changes."),
    include_weak: z.boolean().optional().describe("Also results far below the best."),
    detail: z.enum(SEARCH_DETAILS).optional().describe("Default chunk; context adds neighbours."),
    max_tokens: z.int().min(MIN_BUDGET_TOKENS).max(MAX_BUDGET_TOKENS).optional().describe(
      "Budget.",
    ),
    per_document: z.int().min(1).max(MAX_TOP).optional().describe("Maximum of one document."),
    cursor: Cursor.optional().describe("next_cursor."),
  }),
  output: z.looseObject({
    mode: z.string().optional(),
    results: z.array(SearchResultOutput),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
    warning: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(input, given) {
    const collections = await filterCollections(input.collection, given);
    const context = { ...given, collections };
    if (MATCHES_ALL.test(input.query)) return await listMatches(input, context);
    const { engine, signal } = context;
    const now = context.now();
    const { nextCursor, ...times } = resolveTimes(input, now);
    const args = { ...input, ...times };
    const request = toSearchRequest(args, collections);
    // The text contains the snippet, which a model does not need twice.
    const today = toSeconds(now).slice(0, 10);
    const page = await engine.searchPage({ ...request, snippets: false }, { today, signal });
    const { response } = page;
    const { cut } = response;
    const filters = searchFilters(request, response.filters_applied);
    const isEmpty = page.count === 0 && !cut;
    const { query, cursor, document_id } = args;
    const hint = await resultHint({
      filters: args,
      query,
      cursor,
      document_id,
      shown: page.documents.map(({ id }) => id),
      isEmpty: isEmpty && cursor === undefined,
      response,
    }, { collections, send: sendToAnyEngine({ engine, signal }) }) ??
      (isEmpty ? await nothingFound(args, filters, context) : undefined);
    return new EncodedOutput({
      ...(response.mode ? { mode: withVisibleText(response.mode) } : {}),
      results: [],
      ...(typeof response.total === "number" ? { total: response.total } : {}),
      ...(response.next_cursor ? { next_cursor: nextCursor(response.next_cursor) } : {}),
      ...(cut ? { cut: withoutEmpty(cut) } : {}),
      ...presentFilters(filters),
      ...presentNotices(response),
      ...(hint === undefined ? {} : { hint }),
      now: toSeconds(now),
    }, page);
  },
});

/** Lists the documents that the filters of a search allow. */
async function listMatches(
  { document_id, top, max_tokens, ...input }:
    & FilterArguments
    & Pick<SearchRequest, "document_id" | "top" | "max_tokens" | "cursor">,
  { engine, collections, signal, now }: ToolContext,
): Promise<PresentedList & { results: [] }> {
  if (document_id !== undefined) {
    throw new ToolError("query must have words to search inside a document: kb_get reads it.");
  }
  const { maxTokens, limit = MAX_TOP } = max_tokens === undefined ? {} : listBudget(max_tokens);
  const page = { sort: "updated", limit: Math.min(top ?? DEFAULT_TOP, limit), maxTokens } as const;
  const list = await listDocuments({ ...input, ...page }, {
    collections,
    now: now(),
    send: sendToAnyEngine({ engine, signal }),
  });
  return { results: [], ...list, note: [LISTED, ...(list.note ? [list.note] : [])].join(" ") };
}

const LISTED = "A query without words lists documents, most recent first: kb_list also sorts and counts.";

/** Leaves out a single collection, which each result names. */
function presentFilters({ collection, sort: _, recency: __, ...filters }: SearchFilters = {}) {
  const shown = { ...(Array.isArray(collection) ? { collection } : {}), ...filters };
  return Object.keys(shown).length > 0 ? { filters_applied: withoutEmpty(shown) } : {};
}

function presentNotices({ warning, corrections, vectors, weak_omitted }: SearchResponse) {
  return withVisibleText({
    ...(warning ? { warning } : {}),
    ...(corrections && corrections.length > 0 ? { corrections } : {}),
    ...(weak_omitted ? { weak_omitted } : {}),
    ...(vectors && vectors.embedded < vectors.total ? { vectors } : {}),
  });
}

/** Says what to try instead. Names the filters without their values, which the model has just sent. */
async function nothingFound(
  { cursor, document_id }: Pick<SearchRequest, "cursor" | "document_id">,
  { per_document: _, sort: __, recency: ___, ...filters }: SearchFilters = {},
  context: Pick<ToolContext, "engine" | "signal">,
): Promise<string> {
  if (cursor !== undefined) return "No more results.";
  const missing = document_id === undefined ? undefined : await missingDocument(document_id, context);
  if (missing !== undefined) return missing;
  const names = Object.keys(filters);
  return names.length === 0
    ? "Nothing found: try other words."
    : `Nothing found: try other words, or fewer filters (active: ${names.join(", ")}).`;
}

/** Says that a document does not exist; undefined if it does, or if the engine cannot tell. */
async function missingDocument(
  id: Id,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<string | undefined> {
  try {
    await engine.document(id, { chunks: false }, { signal });
  } catch (error) {
    if (error instanceof EngineError && error.code === "not_found") return error.message;
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
  }
  return undefined;
}
