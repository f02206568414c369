import type * as z from "zod";
import { escapeInvisible, quoteText } from "./quote_text.ts";

/** Maximum length of a value in a message, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 60;

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Record<string, string> = {
  date: "be a date such as 2026-03-31",
  datetime: "be a date-time such as 2026-03-31T09:00:00Z",
};

/**
 * Describes the requirement that a value violates, in words that complete "FIELD must …".
 *
 * @example
 * ```ts
 * import { requirementOf } from "./schema_issue.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const { error } = z.int().max(50).safeParse(500);
 * assertEquals(requirementOf(error!.issues[0]!), "be at most 50");
 * ```
 */
export function requirementOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return sizeRequirement(
        issue.origin,
        issue.inclusive === false ? "less than" : "at most",
        issue.maximum,
      );
    case "too_small":
      return sizeRequirement(
        issue.origin,
        issue.inclusive === false ? "more than" : "at least",
        issue.minimum,
      );
    case "invalid_value":
      return `be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(formatValue).join(", ")}`;
    case "invalid_union":
      return [...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(requirementOf)))].join(
        " or ",
      )
        .replaceAll(" or be ", " or ");
    case "invalid_format":
      return FORMATS[issue.format] ?? ownRequirement(issue.message);
    default:
      return ownRequirement(issue.message);
  }
}

/** Our own messages start with "must"; those of zod do not. */
function ownRequirement(message: string): string {
  return message.startsWith("must ") ? message.slice("must ".length) : `be valid (${message})`;
}

function sizeRequirement(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} character${limit === 1 ? "" : "s"}`;
  if (origin === "array") return `have ${relation} ${limit} item${limit === 1 ? "" : "s"}`;
  return `be ${relation} ${limit}`;
}

/** Formats the path of an issue: `tags[1]`, `filter.since`. Empty for the whole value. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.map((key, i) =>
    typeof key === "number"
      ? `[${key}]`
      : `${i > 0 ? "." : ""}${escapeInvisible(String(key).slice(0, MAX_VALUE_LENGTH))}`
  )
    .join("");
}

/** Formats a value for a message: as JSON if it is short, otherwise by its type and size. */
export function formatValue(value: unknown): string {
  if (typeof value === "string" && value.length > MAX_VALUE_LENGTH) {
    return `a string of ${value.length} characters`;
  }
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? quoteText(value) : String(value);
  }
  return shortJson(value) ?? (Array.isArray(value) ? `a list of ${value.length} items` : "an object");
}

/** Returns undefined for a value whose JSON is too long, after reading only its start: it may have megabytes. */
function shortJson(value: object): string | undefined {
  let left = MAX_VALUE_LENGTH;
  const count = (key: string, item: unknown) => {
    left -= key.length + (typeof item === "string" ? item.length : 1);
    if (left < 0) throw new RangeError("The JSON is too long");
    return item;
  };
  try {
    const text = escapeInvisible(JSON.stringify(value, count));
    return text.length <= MAX_VALUE_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value at the path of a problem; undefined if there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}
