import { z } from "zod";
import { checkCallerTags, collectionTag } from "../collections/mod.ts";
import { MAX_QUERY_CHARS, MAX_TOP, type SearchResult } from "../contract/mod.ts";
import { CallerTags, CollectionName, When } from "./arguments.ts";
import { present, ResultAnswer, withPlace } from "./answers.ts";
import { defineTool } from "./define.ts";
import { linksTo } from "./resource_links.ts";
import { checkTimeRange } from "./time_range.ts";

/** Finds passages. A collection is one more tag of the engine's AND filter (decision D2). */
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
      .describe("A question, keywords or an identifier; no operators."),
    top: z.int().min(1).max(MAX_TOP).default(10).describe("Most results."),
    collection: CollectionName.optional().describe("Only this collection. Omit to search all."),
    tags: CallerTags.optional().describe("Only documents with all of these tags."),
    doc_type: z.string().min(1).max(50).optional()
      .describe("Only this type: note, text, markdown, html, pdf or docx."),
    since: When.optional().describe("Only documents changed or added since this date or date-time."),
    until: When.optional().describe(
      "Only documents changed or added until then, inclusive.",
    ),
    fts_only: z.boolean().optional().describe("Match words, not meaning: for names, codes and quotes."),
  }),
  output: z.looseObject({
    mode: z.string().nullable(),
    results: z.array(ResultAnswer),
    warning: z.string().optional(),
    hint: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run({ collection, tags, doc_type, ...rest }, { engine, collections, signal }) {
    checkTimeRange(rest);
    const filter = checkCallerTags(tags ?? []);
    if (collection !== undefined) filter.unshift(collectionTag(collections.check(collection)));
    const { mode, results, warning } = await engine.search(
      { ...rest, doc_type: doc_type?.toLowerCase(), tags: filter.length > 0 ? filter : undefined },
      { signal },
    );
    return {
      mode: mode ?? null,
      results: results.map(presentResult),
      ...(warning ? { warning } : {}),
      ...(results.length === 0 ? { hint: hintFor({ collection, tags, doc_type, ...rest }) } : {}),
    };
  },
  content: ({ results }) => linksTo(results),
});

/** The snippet is a part of the text, which is there whole. An engine from elsewhere may not know the index. */
function presentResult({ snippet: _, index, ...result }: SearchResult) {
  const shown = {
    ...result,
    ...(typeof index === "number" ? { index } : {}),
    score: Math.round(result.score * 1e4) / 1e4,
  };
  return present(withPlace(shown as SearchResult & { index?: number }));
}

/** Arguments that leave documents out, in the order in which they are listed. */
const FILTERS = ["collection", "tags", "doc_type", "since", "until"] as const;

/** What to do when nothing was found. The values are not said again: the model has just typed them. */
function hintFor(
  input: Readonly<Partial<Record<(typeof FILTERS)[number], string | readonly string[] | undefined>>>,
) {
  const inForce = FILTERS.filter((name) => (input[name]?.length ?? 0) > 0);
  return inForce.length === 0
    ? "Nothing found: try other words."
    : `Nothing found: try other words, or fewer filters (in force: ${inForce.join(", ")}).`;
}
