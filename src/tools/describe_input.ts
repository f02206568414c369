import * as z from "zod";

/** Most problems in one message; the first ones usually explain the rest. */
const MAX_PROBLEMS = 5;
/** Longest value shown; a model knows what it sent and needs only to recognise it. */
const MAX_SHOWN = 60;

/**
 * Says what is wrong with a tool's arguments, in one sentence: field, requirement and value of each problem.
 *
 * @param tool Name and input schema of the tool.
 * @param input The arguments as they came.
 * @param error What the schema said of them.
 *
 * @example
 * ```ts
 * import { describeInput } from "./describe_input.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const tool = { name: "kb_search", input: z.strictObject({ query: z.string(), top: z.int().max(50) }) };
 * const arguments_ = { query: "pension", top: 500 };
 * const { error } = tool.input.safeParse(arguments_);
 * assertEquals(describeInput(tool, arguments_, error!), "kb_search: top must be at most 50, got 500.");
 * ```
 */
export function describeInput(
  tool: { readonly name: string; readonly input: z.ZodObject },
  input: unknown,
  error: z.ZodError,
): string {
  const names = Object.keys(tool.input.shape);
  // One problem per field: what else is wrong with the same value usually follows from the first.
  const issues = [...Map.groupBy(error.issues, ({ path }) => formatPath(path)).values()].flatMap((of) =>
    of.slice(0, 1)
  );
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => describeIssue(issue, input, names));
  const more = issues.length - problems.length;
  return `${tool.name}: ${problems.join("; ")}${more > 0 ? `; ${more} more` : ""}.`;
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown, names: readonly string[]): string {
  const field = formatPath(issue.path) || "arguments";
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.slice(0, MAX_PROBLEMS).map((key) => show(key)).join(", ");
    const takes = names.length > 0 ? `its arguments are ${names.join(", ")}` : "it takes no arguments";
    return `unknown argument ${unknown} (${takes})`;
  }
  const value = valueAt(input, issue.path);
  const required = `${field} must ${requirement(issue)}`;
  return value === undefined ? `${required}, and is missing` : `${required}, got ${show(value)}`;
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return size(issue.origin, "at most", issue.maximum);
    case "too_small":
      return size(issue.origin, "at least", issue.minimum);
    case "invalid_value":
      return `be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((v) => show(v)).join(", ")}`;
    case "invalid_union":
      return [...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(requirement)))].join(" or ")
        .replaceAll(" or be ", " or ");
    default:
      // Our own messages start with "must"; zod's do not.
      return issue.message.startsWith("must ") ? issue.message.slice(5) : `be valid (${issue.message})`;
  }
}

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function size(origin: string, bound: string, limit: number | bigint): string {
  if (origin === "string") return `have ${bound} ${limit} character${limit === 1 ? "" : "s"}`;
  if (origin === "array") return `have ${bound} ${limit} item${limit === 1 ? "" : "s"}`;
  return `be ${bound} ${limit}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.map((part, i) => typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${String(part)}`)
    .join("");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined,
    input,
  );
}

function show(value: unknown): string {
  if (typeof value === "string" && value.length > MAX_SHOWN) return `a string of ${value.length} characters`;
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? (Array.isArray(value) ? "a longer list" : "an object") : text;
}
