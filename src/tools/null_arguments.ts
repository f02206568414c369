import type * as z from "zod";

/**
 * Removes null arguments that the tool does not accept as null. Clients whose models must name every argument
 * (strict schemas) send null for omitted ones. Unknown arguments stay, so that the error names them.
 *
 * @returns The same object if there is nothing to remove.
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
  if (!Object.values(args).includes(null)) return args;
  const shape: Record<string, z.ZodType> = input.shape;
  const isOmitted = ([name, value]: [string, unknown]) =>
    value === null && Object.hasOwn(shape, name) && !shape[name]!.safeParse(null).success;
  return Object.fromEntries(Object.entries(args).filter((entry) => !isOmitted(entry)));
}
