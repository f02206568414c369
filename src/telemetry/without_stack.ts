/**
 * Creates an error without a stack, for a mistake of the caller that no log shows: Deno 2.9.6 captures ten frames for
 * each `new Error`, whatever `Error.stackTraceLimit` is, which takes 8 µs, a tenth of a small request.
 *
 * @param type Class of the error, without private fields.
 * @param fields All fields of the error.
 *
 * @example
 * ```ts
 * import { withoutStack } from "./without_stack.ts";
 * import { assert, assertEquals } from "@std/assert";
 * const error = withoutStack(RangeError, { name: "RangeError", message: "There is no document 7" });
 * assert(error instanceof RangeError);
 * assertEquals(`${error}`, "RangeError: There is no document 7");
 * ```
 */
export function withoutStack<E extends Error>(
  type: { readonly prototype: E },
  fields: { readonly [Name in Exclude<keyof E, "stack" | "cause">]: E[Name] },
): E {
  return Object.assign(Object.create(type.prototype), fields);
}
