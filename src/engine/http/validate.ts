import type * as z from "zod";
import { formatValue, requirementOf } from "../../text/mod.ts";
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

/** Completes "FIELD …". */
function describeIssue(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  if (input === undefined) {
    return issue.code === "invalid_type" ? "is required" : `must ${requirementOf(issue)}`;
  }
  return `must ${requirementOf(issue)}, got ${formatValue(input)}`;
}
