import type * as z from "zod";

/**
 * The arguments of a tool call without those that are null where the tool takes no null. Clients whose models must
 * name every argument (strict schemas) send null for what they leave out.
 *
 * An argument that the tool does not know stays, so that the error names it.
 *
 * @param input Input schema of the tool.
 * @param args The arguments as they came; never changed.
 * @returns The same object when there is nothing to leave out.
 *
 * @example
 * ```ts
 * import { withoutNullArguments } from "./null_arguments.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const input = z.strictObject({ query: z.string(), since: z.string().optional(), to: z.string().nullable() });
 * const args = withoutNullArguments(input, { query: "pension", since: null, to: null });
 * assertEquals(args, { query: "pension", to: null });
 * ```
 */
export function withoutNullArguments(
  input: z.ZodObject,
  args: Record<string, unknown>,
): Record<string, unknown> {
  // Nearly every call has no null in it: it costs one look at each value.
  if (!Object.values(args).includes(null)) return args;
  const shape: Record<string, z.ZodType> = input.shape;
  const leftOut = ([name, value]: [string, unknown]) =>
    value === null && Object.hasOwn(shape, name) && !shape[name]!.safeParse(null).success;
  return Object.fromEntries(Object.entries(args).filter((entry) => !leftOut(entry)));
}
