import * as z from "zod";
import {
  Cursor,
  MAX_ANSWER_TOKENS,
  MAX_QUERY_CHARS,
  MAX_TOP,
  MIN_ANSWER_TOKENS,
  SEARCH_DETAILS,
  SEARCH_MODES,
  type SearchResponse,
  type SearchResult,
} from "../contract/mod.ts";
import { CallerTags, CollectionName, When } from "./arguments.ts";
import { present, ResultAnswer, withPlace } from "./answers.ts";
import { defineTool } from "./define.ts";
import { linksTo } from "./resource_links.ts";
import { type FiltersInForce, filtersInForce, toSearchRequest } from "./search_request.ts";
import { visible } from "./visible.ts";

/** Most collections in one search: the contract's. */
const MAX_COLLECTIONS = 64;

/** Finds passages. */
export const kbSearch = defineTool({
  name: "kb_search",
  title: "Search the knowledge base",
  icon: "M1 1v3h3V1zM0 0h5v4l3 3-1 1-3-3H0z",
  description:
    `Finds passages (chunks), best first, with text, document and place (heading, page or lines). Search before \
you answer from memory and before you add a note.
For complex queries, consider expanding into 2–3 variant phrasings and calling this tool multiple times, then \
deduplicating results by chunk_id. For precision, rerank the returned results using your own judgement. Scores \
compare within one answer only. Read on around a hit with kb_get.`,
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty")
      .describe(
        'A question, keywords, an identifier. Only "exact phrase" and -excluded are operators.',
      ),
    top: z.int().min(1).max(MAX_TOP).default(10).describe("Most results."),
    collection: z.union([CollectionName, z.array(CollectionName).max(MAX_COLLECTIONS)]).optional()
      .describe("Only this, or any of several. Omit to search all."),
    tags: CallerTags.optional().describe("Only documents with all of these tags."),
    tags_any: CallerTags.optional().describe("With any."),
    tags_none: CallerTags.optional().describe("With none."),
    doc_type: z.string().min(1).max(50).optional()
      .describe("note, text, markdown, html, pdf or docx."),
    since: When.optional().describe("Only changed or added since this date or date-time."),
    until: When.optional().describe("Until then, inclusive."),
    mode: z.enum(SEARCH_MODES).optional()
      .describe("Default hybrid: by words (fts) and meaning (vector)."),
    fts_only: z.boolean().optional().describe("Same as mode fts: for names, codes and quotes."),
    detail: z.enum(SEARCH_DETAILS).optional().describe(
      "Default chunk; context adds its neighbours.",
    ),
    max_tokens: z.int().min(MIN_ANSWER_TOKENS).max(MAX_ANSWER_TOKENS).optional().describe(
      "Budget for the results.",
    ),
    per_document: z.int().min(1).max(MAX_TOP).optional().describe("Most chunks of one document."),
    cursor: Cursor.optional().describe("next_cursor of the page before."),
  }),
  output: z.looseObject({
    mode: z.string().nullable(),
    results: z.array(ResultAnswer),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
    /** Results that `max_tokens` left out, and whether the last text is cut. */
    cut: z.looseObject({}).optional(),
    warning: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run(input, { engine, collections, signal }) {
    const request = toSearchRequest(input, collections);
    const response = await engine.search(request, { signal });
    const { cut } = response;
    const filters = filtersInForce(request, response.filters_applied);
    const results = response.results.map(presentResult);
    return {
      mode: response.mode ?? null,
      results,
      ...(typeof response.total === "number" ? { total: response.total } : {}),
      ...(response.next_cursor ? { next_cursor: response.next_cursor } : {}),
      ...(cut ? { cut } : {}),
      ...(filters ? { filters_applied: filters } : {}),
      ...remarks(response),
      ...(results.length === 0 && !cut ? { hint: hintFor(filters ?? {}, input.cursor) } : {}),
    };
  },
  content: ({ results }) => linksTo(results),
});

/** The snippet is a part of the text, which is there whole. An engine from elsewhere may not know the index. */
function presentResult({ snippet: _, index, context_before, context_after, ...result }: SearchResult) {
  const shown = {
    ...result,
    ...(typeof index === "number" ? { index } : {}),
    ...(context_before ? { context_before } : {}),
    ...(context_after ? { context_after } : {}),
    score: Math.round(result.score * 1e4) / 1e4,
  };
  return present(withPlace(shown as SearchResult & { index?: number }));
}

/** What the engine says of how it searched, where there is something to say. */
function remarks({ warning, corrections, vectors }: SearchResponse) {
  return visible({
    ...(warning ? { warning } : {}),
    ...(corrections && corrections.length > 0 ? { corrections } : {}),
    ...(vectors && vectors.embedded < vectors.total ? { vectors } : {}),
  });
}

/** What to do when nothing was found. The values are not said again: the model has just typed them. */
function hintFor({ per_document: _, ...filters }: FiltersInForce, cursor: string | undefined): string {
  if (cursor !== undefined) return "No more results.";
  const inForce = Object.keys(filters);
  return inForce.length === 0
    ? "Nothing found: try other words."
    : `Nothing found: try other words, or fewer filters (in force: ${inForce.join(", ")}).`;
}
