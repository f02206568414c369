import { ConfigError } from "../../config/mod.ts";
import type { MetadataFilter } from "../../contract/mod.ts";
import { type FilterArguments, isTime, resolveTimes } from "../../tools/mod.ts";

/** Options of commands that select documents, as the parser returns them. */
export interface FilterOptions {
  readonly collection?: readonly string[];
  readonly tags?: readonly string[];
  readonly tagsAny?: readonly string[];
  readonly tagsNone?: readonly string[];
  readonly type?: string;
  readonly language?: string;
  readonly path?: string;
  readonly metadata?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
}

/** Filters with absolute times, and the position in a listing. */
export interface SelectedDocuments {
  readonly filters: FilterArguments;
  readonly cursor: string | undefined;
  /** Returns the cursor for the caller. */
  readonly nextCursor: (cursor: string) => string;
}

/**
 * Converts the options to filters.
 *
 * @param now Current time in milliseconds since 1970.
 * @throws {ConfigError} For a value that is not a time, or not `FIELD=VALUE`.
 */
export function selectDocuments(options: FilterOptions, now: number): SelectedDocuments {
  const { collection, tags, tagsAny, tagsNone, type, language, path, metadata, ...times } = options;
  for (const name of ["since", "until"] as const) {
    const value = times[name];
    if (value === undefined || isTime(value)) continue;
    throw new ConfigError(
      `--${name} must be a date such as 2026-03-31, a date-time such as 2026-03-31T09:00:00Z, or 7d, 2w, today, ` +
        `yesterday, got ${JSON.stringify(value)}`,
    );
  }
  const { since, until, cursor, nextCursor } = resolveTimes(
    { since: times.since, until: times.until, cursor: times.cursor },
    now,
  );
  return {
    filters: {
      collection,
      tags: list(tags),
      tags_any: list(tagsAny),
      tags_none: list(tagsNone),
      doc_type: type,
      language,
      source_path: path,
      metadata: metadata && metadataFilter(metadata),
      since,
      until,
    },
    cursor,
    nextCursor,
  };
}

function list(values: readonly string[] | undefined): string[] | undefined {
  return values && [...values];
}

/** Parses `FIELD=VALUE`. A value that is a JSON number or boolean has that type, any other one is text. */
function metadataFilter(fields: readonly string[]): MetadataFilter {
  return Object.fromEntries(fields.map((field) => {
    const [name, value] = splitField("--metadata", field);
    return [name, /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value) ? JSON.parse(value) : value];
  }));
}

/**
 * Splits `FIELD=VALUE`.
 *
 * @throws {ConfigError} Without an equals sign or a name.
 */
export function splitField(option: string, field: string): [name: string, value: string] {
  const at = field.indexOf("=");
  if (at > 0) return [field.slice(0, at), field.slice(at + 1)];
  throw new ConfigError(`${option} must be FIELD=VALUE, got ${JSON.stringify(field)}`);
}
