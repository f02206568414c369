import * as z from "zod";
import { MAX_QUERY_CHARS } from "../contract/mod.ts";
import { visibleText } from "../text/mod.ts";
import { defineTool } from "../tools/mod.ts";
import { citationUrl, titleOf } from "./citation.ts";

/** Number of documents in a response, which has no pages. */
const MAX_RESULTS = 20;

/** Searches for documents. */
export const search = defineTool({
  name: "search",
  title: "Search documents",
  description: `Search the knowledge base for documents. Returns their ids, titles and URLs, best first.

Use this tool when you need to:
- Find documents for fetch, which returns their text`,
  scope: "read",
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty")
      .describe("A question, keywords or identifiers."),
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({ id: z.string(), title: z.string(), url: z.string() })),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ query }, { engine, signal }) {
    const { results } = await engine.search(
      { query, top: MAX_RESULTS, per_document: 1, include_weak: true, snippets: false },
      { signal },
    );
    // An engine may ignore per_document.
    const documents = Map.groupBy(results, ({ document_id }) => String(document_id));
    return {
      results: [...documents].map(([id, [best]]) => ({
        id,
        title: titleOf(best!),
        url: visibleText(citationUrl(best!)),
      })),
    };
  },
});
