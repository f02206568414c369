import * as z from "zod";
import { type ConfiguredSource, parseSourceList } from "./sources.ts";

/** Schema of a setting: parses the text of an environment variable. */
export type ValueSchema<T> = z.ZodType<T, string>;

/** Shared: transforms do not change it. */
const string = z.string();

/**
 * Creates the schema of a value that is written as text.
 *
 * One transform per setting and no chain of checks: zod takes longer to construct a chain for every setting
 * than the whole configuration takes to read.
 *
 * @param kind Kind of the value.
 * @param requirement Completes "NAME must be …".
 * @param parse Returns undefined for text that does not meet the requirement.
 */
function parsed<T>(
  kind: ValueKind,
  requirement: string,
  parse: (text: string) => T | undefined,
): ValueSchema<T> {
  const schema = string.transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(requirement);
    return z.NEVER;
  });
  z.globalRegistry.add(schema, { kind });
  return schema;
}

/** Kind of a value: its placeholder in `--help`, and its type in a configuration file. */
export type ValueKind =
  | "text"
  | "secret"
  | "choice"
  | "switch"
  | "url"
  | "port"
  | "number"
  | "duration"
  | "size"
  | "list";

/** Returns the kind of a setting's value. */
export function valueKind(schema: ValueSchema<unknown>): ValueKind {
  const choices = valueChoices(schema);
  if (choices) return choices.includes("on") ? "switch" : "choice";
  return z.globalRegistry.get(schema)?.["kind"] as ValueKind | undefined ?? "text";
}

/** Returns the words that a setting can have; undefined: it is not one of a list. */
export function valueChoices(schema: ValueSchema<unknown>): readonly string[] | undefined {
  return schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
}

/** Any text. */
export const text = (): ValueSchema<string> => z.string();

/**
 * Maximum length of a secret in characters. The bearer check reads `Authorization` headers of up to 4096, so
 * that a longer key would lock everybody out.
 */
const MAX_SECRET_CHARS = 4000;

/**
 * A secret that is sent in an HTTP header: the characters of a bearer token (RFC 6750 §2.1) and other visible
 * ones.
 */
export const secret = (): ValueSchema<string> =>
  parsed(
    "secret",
    `1 to ${MAX_SECRET_CHARS} visible ASCII characters without spaces or line ends, because it is sent in an HTTP header`,
    (value) => /^[\x21-\x7e]+$/.test(value) && value.length <= MAX_SECRET_CHARS ? value : undefined,
  );

/** One of a list of words. */
export const oneOf = <const T extends string>(...choices: T[]): ValueSchema<T> =>
  z.enum(choices, `one of ${choices.join(", ")}`) as unknown as ValueSchema<T>;

/** An HTTP base URL; trailing slashes are removed. */
export const httpUrl = (): ValueSchema<string> =>
  parsed(
    "url",
    "an http:// or https:// URL without credentials, query or fragment, such as https://kb.example.com",
    (value) => {
      const url = URL.parse(value);
      if (!url || !/^https?:$/.test(url.protocol)) return undefined;
      if (url.username || url.password || url.search || url.hash) return undefined;
      return url.href.replace(/\/+$/, "");
    },
  );

/** A TCP port. */
export const port = (): ValueSchema<number> =>
  parsed("port", "a port from 0 (any free one) to 65535", (value) => {
    const number = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
    return number <= 65_535 ? number : undefined;
  });

/** An integer. */
export const integer = (min: number, max: number): ValueSchema<number> =>
  parsed("number", `a whole number from ${min} to ${max}`, (value) => {
    const number = /^\d{1,12}$/.test(value) ? Number(value) : NaN;
    return number >= min && number <= max ? number : undefined;
  });

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds, written as `500ms`, `3s`, `10m` or `2h`; a number without a unit counts seconds. */
export const duration = (minMs: number, maxMs: number): ValueSchema<number> =>
  parsed(
    "duration",
    `a duration from ${format(minMs, DURATION_UNITS)} to ${
      format(maxMs, DURATION_UNITS)
    }, such as 3s, 500ms or 10m`,
    (value) => {
      const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h)?$/.exec(value);
      const ms = match ? Number(match[1]) * (DURATION_UNITS[match[2] ?? "s"] ?? NaN) : NaN;
      return ms >= minMs && ms <= maxMs ? Math.round(ms) : undefined;
    },
  );

const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes, written as `64KiB`, `8MiB` or `1GiB`; `K`, `KB` and so on also mean powers of 1024. */
export const size = (min: number, max: number): ValueSchema<number> =>
  parsed(
    "size",
    `a size from ${format(min, SIZE_UNITS)} to ${format(max, SIZE_UNITS)}, such as 64MiB`,
    (value) => {
      const match = /^(\d{1,15})\s*([KMG]?)(?:i?B)?$/i.exec(value);
      const prefix = match?.[2]?.toUpperCase();
      const bytes = match ? Number(match[1]) * (SIZE_UNITS[prefix ? `${prefix}iB` : "B"] ?? NaN) : NaN;
      return bytes >= min && bytes <= max ? bytes : undefined;
    },
  );

/** Formats a quantity in the largest unit that divides it. */
function format(quantity: number, units: Readonly<Record<string, number>>): string {
  const [name, unit] =
    Object.entries(units).findLast(([, unit]) => quantity >= unit && quantity % unit === 0) ??
      Object.entries(units)[0]!;
  return `${quantity / unit}${name}`;
}

/**
 * Values separated by commas, without duplicates and empty ones. `parse` returns undefined for an invalid
 * one.
 */
function list(
  requirement: string,
  parse: (item: string) => string | undefined,
): ValueSchema<readonly string[]> {
  return parsed("list", `${requirement}, separated by commas`, (value) => {
    const items = value.split(",").map((item) => item.trim()).filter((item) => item !== "").map(parse);
    return items.every((item) => item !== undefined) ? [...new Set(items)] : undefined;
  });
}

/** Names of collections. */
export const collectionNames = (): ValueSchema<readonly string[]> =>
  list(
    "names of 1–64 lower-case letters, digits, '-', '_' and '.'",
    (name) => /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/.test(name) ? name : undefined,
  );

/** Folders that are sources. */
export const sourceList = (): ValueSchema<readonly ConfiguredSource[]> =>
  parsed(
    "list",
    "folders such as /docs:docs:ro,/notes:notes:rw:watch: an absolute path, a name of lower-case letters, digits, - and _ " +
      "that no other has, ro or rw, and watch",
    parseSourceList,
  );

/** Origins of web pages. */
export const origins = (): ValueSchema<readonly string[]> =>
  list("origins such as https://app.example.com (no path, no wildcard)", (value) => {
    const origin = URL.parse(value)?.origin;
    return origin !== "null" && origin === value.toLowerCase() ? origin : undefined;
  });

/** Host names, with or without a port, in lower case. */
export const hostNames = (): ValueSchema<readonly string[]> =>
  list(
    "host names such as kb.example.com or kb.example.com:8443",
    (name) => /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(name) ? name.toLowerCase() : undefined,
  );
