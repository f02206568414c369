import type * as z from "zod";
import { formatPath, formatValue, requirementOf, valueAt } from "../text/mod.ts";

/** Maximum number of problems in a message. The first ones usually explain the rest. */
const MAX_PROBLEMS = 5;

/**
 * Describes invalid arguments of a tool in one sentence: field, requirement and value of each problem.
 *
 * @param tool Name and input schema of the tool.
 * @param input Arguments before parsing.
 * @param error Result of parsing them.
 *
 * @example
 * ```ts
 * import { describeInput } from "./describe_input.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const tool = { name: "kb_search", input: z.strictObject({ query: z.string(), top: z.int().max(50) }) };
 * const args = { query: "pension", top: 500 };
 * const { error } = tool.input.safeParse(args);
 * assertEquals(describeInput(tool, args, error!), "kb_search: top must be at most 50, got 500.");
 * ```
 */
export function describeInput(
  tool: { readonly name: string; readonly input: z.ZodObject },
  input: unknown,
  error: z.ZodError,
): string {
  const names = Object.keys(tool.input.shape);
  // One problem per field: further ones usually follow from the first.
  const byField = Map.groupBy(error.issues, ({ path }) => formatPath(path));
  const issues = [...byField.values()].flatMap(([first]) => first ? [first] : []);
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => describeIssue(issue, input, names));
  const more = issues.length - problems.length;
  return `${tool.name}: ${problems.join("; ")}${more > 0 ? `; ${more} more` : ""}.`;
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown, names: readonly string[]): string {
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.slice(0, MAX_PROBLEMS).map(formatValue).join(", ");
    const known = names.length > 0 ? `its arguments are ${names.join(", ")}` : "it takes no arguments";
    return `unknown argument ${unknown} (${known})`;
  }
  const value = valueAt(input, issue.path);
  const field = formatPath(issue.path) || "arguments";
  const requirement = requirementOf(issue);
  return value === undefined
    ? `${field} is missing: it must ${requirement}`
    : `${field} must ${requirement}, got ${formatValue(value)}`;
}
