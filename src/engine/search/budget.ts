import { countedFields, type SearchResult } from "../../contract/mod.ts";
import { estimateTokens, type FittedResults, fitTokens } from "../../text/mod.ts";

/** Options of {@linkcode fitResults}. */
export interface BudgetOptions {
  /** Maximum number of tokens of all results. */
  readonly maxTokens: number;
  /** Shortens a text to `length` UTF-16 code units around the query's terms. */
  readonly shorten: (text: string, length: number) => string;
}

/**
 * Takes the first results that fit into a token budget. If not even the first one fits, it loses its context,
 * then a part of its text.
 */
export function fitResults(
  results: readonly SearchResult[],
  { maxTokens, shorten }: BudgetOptions,
): FittedResults<SearchResult> {
  const options = { maxTokens, shorten, counted: countedFields };
  const [first] = results;
  if (!first || resultTokens(first) <= maxTokens) return fitTokens(results, options);
  const { context_before: _, context_after: __, ...withoutContext } = first;
  return { ...fitTokens([withoutContext], options), omitted: results.length - 1, isTextCut: true };
}

/** Estimates the number of tokens that a model reads of a result. */
export function resultTokens(result: SearchResult): number {
  return estimateTokens(JSON.stringify(countedFields(result)));
}
