import type { Completion, ReadContext } from "./define.ts";

/** Most values in one answer (MCP, `CompleteResult.completion.values`). */
export const MAX_VALUES = 100;

/** Completes a variable, from what has been typed of it and what the others are. */
export type Complete = (
  typed: string,
  others: Readonly<Record<string, string>>,
  context: ReadContext,
) => Promise<Completion>;

/** The first hundred of some values. */
export function firstOf(values: readonly string[]): Completion {
  return values.length <= MAX_VALUES
    ? { values }
    : { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: true };
}
