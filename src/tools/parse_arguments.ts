import type * as z from "zod";
import { valueAt } from "../text/mod.ts";
import { withoutNullArguments } from "./null_arguments.ts";
import { readObject, readValue } from "./read_value.ts";

/** Arguments of a tool call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Arguments as the server understood them, and the result of parsing these. */
export interface ParsedArguments {
  readonly arguments: Arguments;
  readonly result: z.ZodSafeParseResult<Record<string, unknown>>;
}

/** Names of an object that wrongly holds the arguments. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "arguments",
  "args",
  "input",
  "kwargs",
  "parameters",
  "params",
]);
/** Texts for an argument to omit. */
const NOTHING: ReadonlySet<string> = new Set(["", "null", "none", "undefined"]);
/** Length of the longest of them, with white space around it. */
const MAX_NOTHING_CHARS = 20;
/** Arguments that no text omits: without the condition, a change would replace another one that the caller has not seen. */
const CONDITIONS: ReadonlySet<string> = new Set(["if_version"]);
/** Maximum number of problems of a call that is corrected, above the number of tags in a call. */
const MAX_READINGS = 100;
/** The second time corrects the items of a list, or the value in one, that the first one has read. */
const MAX_ROUNDS = 2;

/**
 * Parses the arguments of a call. Only if the schema rejects them, they are read as models often write them, where this
 * has one meaning: see {@linkcode readValue}; `documentId` for `document_id`; an empty text or `"null"` for an argument to
 * omit; all arguments inside of another object; and any for a tool without arguments, as some clients have to send one.
 * What the schema accepts keeps its meaning.
 *
 * @example
 * ```ts
 * import { parseArguments } from "./parse_arguments.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const input = z.strictObject({ query: z.string(), top: z.int().optional(), tags: z.array(z.string()).optional() });
 * const { result } = parseArguments(input, { query: "pension", top: "5", tags: "work, 2026" });
 * assertEquals(result.data, { query: "pension", top: 5, tags: ["work", "2026"] });
 * ```
 */
export function parseArguments(input: z.ZodObject, args: Arguments): ParsedArguments {
  let parsed = parse(input, args);
  if (parsed.result.success) return parsed;
  if (Object.keys(input.shape).length === 0) return parse(input, {});
  const named = renameArguments(input, unwrapArguments(input, args));
  if (named !== args) parsed = parse(input, named);
  for (let round = 0; round < MAX_ROUNDS && !parsed.result.success; round++) {
    const read = readValues(input, parsed.arguments, parsed.result.error.issues);
    if (read === parsed.arguments) break;
    parsed = parse(input, read);
  }
  return parsed;
}

function parse(input: z.ZodObject, args: Arguments): ParsedArguments {
  return { arguments: args, result: input.safeParse(withoutNullArguments(input, args)) };
}

function unwrapArguments({ shape }: z.ZodObject, args: Arguments): Arguments {
  const [name, ...others] = Object.keys(args);
  if (name === undefined || others.length > 0 || !WRAPPERS.has(name) || Object.hasOwn(shape, name)) {
    return args;
  }
  return readObject(args[name]) ?? args;
}

/** Renames arguments whose names differ from the tool's in case, hyphens and underscores only. */
function renameArguments({ shape }: z.ZodObject, args: Arguments): Arguments {
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(shape, name));
  const missing = new Map(
    Object.keys(shape).filter((name) => !Object.hasOwn(args, name)).map((name) => [letters(name), name]),
  );
  if (unknown.length === 0 || unknown.length > missing.size) return args;
  const entries = Object.entries(args).map(([name, value]) => {
    if (Object.hasOwn(shape, name)) return [name, value];
    const key = letters(name);
    const meant = missing.get(key);
    // A second spelling of the same name stays unknown.
    missing.delete(key);
    return [meant ?? name, value];
  });
  return Object.fromEntries(entries);
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Returns the same object if there is nothing to correct. */
function readValues(input: z.ZodObject, args: Arguments, issues: readonly z.core.$ZodIssue[]): Arguments {
  if (issues.length > MAX_READINGS) return args;
  const shape: Record<string, z.ZodType> = input.shape;
  let result = args;
  for (const issue of issues) {
    const [name, ...path] = issue.path;
    if (typeof name !== "string") continue;
    const value = valueAt(args, issue.path);
    const isArgument = path.length === 0 && !CONDITIONS.has(name);
    if (isArgument && isNothing(value) && shape[name]?.safeParse(undefined).success) {
      const { [name]: _, ...others } = result;
      result = others;
      continue;
    }
    const reading = readValue(issue, value);
    if (reading !== undefined) result = withValue(result, issue.path, reading) as Arguments;
  }
  return result;
}

function isNothing(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_NOTHING_CHARS &&
    NOTHING.has(value.trim().toLowerCase());
}

/** Returns a copy of an object or list with another value at the path. */
function withValue(container: unknown, [key, ...path]: readonly PropertyKey[], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withValue(Reflect.get(container as object, key), path, value);
  return Array.isArray(container)
    ? container.with(Number(key), inner)
    : { ...container as object, [key]: inner };
}
