import type { SearchResult } from "../../contract/mod.ts";
import { firstOfDocuments, presentedResult } from "../../contract/rules/mod.ts";
import { type FittedResults, fitTokens } from "../../text/mod.ts";

/** Options of {@linkcode fitResults}. */
export interface BudgetOptions {
  /** Maximum number of tokens of all results, as a model reads them. */
  readonly maxTokens: number;
  /** Date such as `2026-03-31`. */
  readonly today?: string | undefined;
  /** Shortens the text of the result at an index to `length` UTF-16 code units around the query's terms. */
  readonly shorten: (text: string, length: number, index: number) => string;
}

/** Takes the first results that fit into a token budget, and as much of the next one as fits. */
export function fitResults(
  results: readonly SearchResult[],
  options: BudgetOptions,
): FittedResults<SearchResult> {
  const isFirst = firstOfDocuments(results);
  return fitTokens(results, {
    ...options,
    counted: (result, index) =>
      presentedResult(result, { isFirst: isFirst[index] ?? true, today: options.today }),
  });
}
