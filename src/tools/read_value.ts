import type * as z from "zod";

/** Maximum length of a text that is read as another type: lists and objects are short, notes are no lists. */
const MAX_CHARS = 16_384;

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * Reads a value that a schema rejects as models often write it: `"5"` as 5, `"True"` as true, 2026 as `"2026"`, `"a, b"`
 * and `'["a"]'` as lists, a JSON text as an object, a list of one value as that value, and the names of a choice in any
 * case.
 *
 * @param issue Problem of the value.
 * @returns Undefined if the value has no reading, or more than one.
 *
 * @example
 * ```ts
 * import { readValue } from "./read_value.ts";
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * const { error } = z.int().safeParse("5");
 * assertEquals(readValue(error!.issues[0]!, "5"), 5);
 * ```
 */
export function readValue(issue: z.core.$ZodIssue, value: unknown): unknown {
  if (issue.code === "invalid_union") {
    // An issue inside of a list or object belongs to another type of the union.
    const own = issue.errors.flatMap(([first]) => first?.path.length === 0 ? [first] : []);
    return own.map((each) => readValue(each, value)).find((reading) => reading !== undefined);
  }
  if (issue.code !== "invalid_type" && issue.code !== "invalid_value") return undefined;
  const isList = issue.code === "invalid_type" && issue.expected === "array";
  if (Array.isArray(value) && value.length === 1 && !isList) return value[0];
  return issue.code === "invalid_type"
    ? readAs(issue.expected, value)
    : issue.values.find((choice) => typeof choice === "string" && choice === asText(value)?.toLowerCase());
}

/**
 * Reads a list from a text: a JSON array, or values that commas separate.
 *
 * @returns Undefined for a text that starts with a bracket or quote and is no JSON array, and for one of more than 16,384
 * characters.
 */
export function readList(text: string): unknown[] | undefined {
  const trimmed = asText(text);
  if (trimmed === undefined) return undefined;
  // Brackets and quotes of another notation would become part of the values.
  if (/^[({"']/.test(trimmed)) return undefined;
  if (!trimmed.startsWith("[")) return trimmed.split(",").map((item) => item.trim()).filter(Boolean);
  const value = readJson(trimmed);
  return Array.isArray(value) ? value : undefined;
}

/** Returns an object, also one that is given as JSON text; undefined for anything else. */
export function readObject(value: unknown): Record<string, unknown> | undefined {
  const read = asText(value)?.startsWith("{") ? readJson(value as string) : value;
  return typeof read === "object" && read !== null && !Array.isArray(read)
    ? read as Record<string, unknown>
    : undefined;
}

function readAs(type: string, value: unknown): unknown {
  const text = asText(value);
  switch (type) {
    case "number":
    case "int":
      return text !== undefined && DECIMAL.test(text) ? Number(text) : undefined;
    case "boolean":
      return /^(?:true|false)$/i.test(text ?? "") ? text!.toLowerCase() === "true" : undefined;
    case "string":
      // A fraction may have lost digits, such as the version "1.10".
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case "array":
      return text === undefined ? undefined : readList(text);
    case "object":
    case "record":
      return text === undefined ? undefined : readObject(text);
    default:
      return undefined;
  }
}

/** Returns a text without white space at its ends; undefined for other values and long texts. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= MAX_CHARS ? value.trim() : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
