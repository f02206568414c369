import type * as z from "zod";
import { HttpError } from "./errors.ts";

/** Issues told in the message; all of them are in the details, up to the larger bound. */
const TOLD = 3;
const LISTED = 20;

/**
 * Parses what a caller sent.
 *
 * @param what What the value is, for an error about the whole of it ("The body").
 * @throws {HttpError} `invalid`, with a message that names each field and its requirement, and
 * `details: [{field, message}]`.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues.slice(0, LISTED).map((issue) => ({
    field: issue.path.map(String).join("."),
    message: describeIssue(issue),
  }));
  const told = details.slice(0, TOLD).map(({ field, message }) => `${field || what} ${message}`);
  if (result.error.issues.length > TOLD) told.push(`and ${result.error.issues.length - TOLD} more problems`);
  throw new HttpError("invalid", told.join("; "), { details });
}

/** The requirement in words that complete "FIELD …", with what was given where that is short. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined && issue.code === "invalid_type") return "is required";
  return `must ${requirement(issue)}${got(issue.input)}`;
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `be ${/^[aeio]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`;
    case "too_small":
      return bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "invalid_value":
      return `be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return [...new Set(issue.errors.flat().map(requirement))].join(" or ");
    case "invalid_format":
      return FORMATS[issue.format] ?? issue.message.replace(/^must /, "");
    default:
      return issue.message.replace(/^must /, "");
  }
}

const FORMATS: Record<string, string> = {
  date: "be a date such as 2026-03-31",
  datetime: "be a date-time such as 2026-03-31T09:00:00Z",
};

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} characters`;
  return origin === "array" ? `have ${relation} ${limit} items` : `be ${relation} ${limit}`;
}

function got(input: unknown): string {
  const shown = typeof input === "string" || typeof input === "number" || typeof input === "boolean"
    ? JSON.stringify(input)
    : input === null
    ? "null"
    : Array.isArray(input)
    ? "an array"
    : "";
  return shown === "" || shown.length > 60 ? "" : `, got ${shown}`;
}
