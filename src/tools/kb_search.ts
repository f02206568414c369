import { z } from "zod";
import { checkCallerTags, collectionTag } from "../collections/mod.ts";
import { MAX_QUERY_CHARS, MAX_TOP, type SearchResult } from "../contract/mod.ts";
import { CallerTags, CollectionName, When } from "./arguments.ts";
import { present, ResultAnswer, withPlace } from "./answers.ts";
import { defineTool } from "./define.ts";

/** Finds passages. A collection is one more tag of the engine's AND filter (decision D2). */
export const kbSearch = defineTool({
  name: "kb_search",
  title: "Search the knowledge base",
  description:
    `Finds passages (chunks), best first, each with its text, document, collection, tags and place \
(heading, page or lines). Search before you answer from memory and before you add a note.
For complex queries, consider expanding into 2–3 variant phrasings and calling this tool multiple times, then \
deduplicating results by chunk_id. For precision, rerank the returned results using your own judgement. Scores \
compare within one answer only; mode says what ran: fts, vector or hybrid. Read on around a hit with kb_get.`,
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty")
      .describe("A question, keywords or an identifier, as plain text; there are no operators."),
    top: z.int().min(1).max(MAX_TOP).default(10).describe("Most results."),
    collection: CollectionName.optional().describe("Only this collection. Omit to search all."),
    tags: CallerTags.optional().describe("Only documents that have all of these tags."),
    doc_type: z.string().min(1).max(50).optional()
      .describe("Only this type: note, text, markdown, html, pdf or docx."),
    since: When.optional().describe("Only documents changed (or added) at this date or date-time or later."),
    until: When.optional().describe(
      "Only documents changed (or added) at this date or date-time or earlier.",
    ),
    fts_only: z.boolean().optional().describe("Match words, not meaning: for names, codes and quotes."),
  }),
  output: z.object({
    mode: z.string().nullable(),
    results: z.array(ResultAnswer),
    warning: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run({ collection, tags, ...rest }, { engine, collections, signal }) {
    const filter = checkCallerTags(tags ?? []);
    if (collection !== undefined) filter.unshift(collectionTag(collections.check(collection)));
    const { mode, results, warning } = await engine.search(
      { ...rest, tags: filter.length > 0 ? filter : undefined },
      { signal },
    );
    return {
      mode: mode ?? null,
      // The snippet is a part of the text, which is there whole.
      results: results.map(({ snippet: _, ...result }) => present(withPlace(result as SearchResult))),
      ...(warning ? { warning } : {}),
    };
  },
});
