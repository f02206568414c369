import type * as z from "zod";
import { HttpError } from "./errors.ts";

/** Maximum number of issues in the error message. */
const MAX_MESSAGE_ISSUES = 3;
/** Maximum number of issues in the error details. */
const MAX_DETAILS = 20;

/**
 * Parses input with a schema.
 *
 * @param subject Name of the whole value for error messages, such as "The body".
 * @throws {HttpError} `invalid`, with a message that names each field and its requirement, and
 * `details: [{field, message}]`.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  subject: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const details = issues.slice(0, MAX_DETAILS).map((issue) => ({
    field: issue.path.map(String).join("."),
    message: describeIssue(issue),
  }));
  const sentences = details.slice(0, MAX_MESSAGE_ISSUES)
    .map(({ field, message }) => `${field || subject} ${message}`);
  if (issues.length > MAX_MESSAGE_ISSUES) {
    sentences.push(`and ${issues.length - MAX_MESSAGE_ISSUES} more problems`);
  }
  throw new HttpError("invalid", sentences.join("; "), { details });
}

/** Completes "FIELD …" with the requirement, and with the input if it is short. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined && issue.code === "invalid_type") return "is required";
  return `must ${requirement(issue)}${quoteInput(issue.input)}`;
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

function quoteInput(input: unknown): string {
  const quoted = typeof input === "string" || typeof input === "number" || typeof input === "boolean"
    ? JSON.stringify(input)
    : input === null
    ? "null"
    : Array.isArray(input)
    ? "an array"
    : "";
  return quoted === "" || quoted.length > 60 ? "" : `, got ${quoted}`;
}
