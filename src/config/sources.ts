import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { closestName, requirementOf, valueAt } from "../text/mod.ts";
import { ConfigError } from "./config_error.ts";

/** A folder that the operator has configured as a source. */
export interface ConfiguredSource {
  /** Name of the source, and the first segment of the paths of its documents. */
  readonly name: string;
  /** Absolute path of the folder. */
  readonly path: string;
  readonly description?: string | undefined;
  /** Collection of the documents. Default: documents. */
  readonly collection?: string | undefined;
  /** Tags of the documents. */
  readonly tags: readonly string[];
  /** Only these files, in the syntax of `.gitignore`. */
  readonly include: readonly string[];
  /** Not these files. */
  readonly exclude: readonly string[];
  /** Whether changes are followed while the engine runs. */
  readonly watch: boolean;
  /** Whether agents may create files. */
  readonly writable: boolean;
  /** Descriptions of folders at the top. */
  readonly sections: readonly { readonly prefix: string; readonly description: string }[];
}

/** Names of sources. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const Strings = z.array(z.string()).default([]);

/** A `[[sources]]` table. */
const SourceTable = z.strictObject({
  name: z.string().regex(NAME, "1 to 64 lower-case letters, digits, - and _"),
  path: z.string().min(1),
  description: z.string().max(500).optional(),
  collection: z.string().optional(),
  tags: Strings,
  include: Strings,
  exclude: Strings,
  watch: z.boolean().default(false),
  writable: z.boolean().default(false),
  sections: z.array(z.strictObject({ prefix: z.string().min(1), description: z.string().max(500) })).default(
    [],
  ),
});

/**
 * Parses the `[[sources]]` of a configuration file.
 *
 * @param folder Folder of the file, at which relative paths start.
 * @throws {ConfigError} With every problem, one per line.
 */
export function parseSourceTables(value: unknown, folder: string): ConfiguredSource[] {
  if (!Array.isArray(value)) throw new ConfigError("sources must be tables: [[sources]]");
  const problems: string[] = [];
  const sources: ConfiguredSource[] = [];
  for (const [index, table] of value.entries()) {
    const { data, error } = SourceTable.safeParse(table);
    if (error) {
      problems.push(...error.issues.map((issue) => `sources ${index + 1}: ${describe(issue, table)}`));
    } else sources.push({ ...data, path: isAbsolute(data.path) ? data.path : join(folder, data.path) });
  }
  const names = sources.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) problems.push(`sources: two have the name ${JSON.stringify(repeated)}`);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return sources;
}

/**
 * Parses `/docs:docs:ro,/notes:notes:rw:watch`: folders as `PATH:NAME`, followed by `ro` (default) or `rw`, and `watch`.
 *
 * @returns Undefined for text of another form, a relative path, or two sources of one name.
 *
 * @example
 * ```ts
 * import { parseSourceList } from "./sources.ts";
 * import { assertEquals } from "@std/assert";
 * const sources = parseSourceList("/docs:docs,/notes:notes:rw:watch");
 * assertEquals(sources?.map(({ name, writable, watch }) => [name, writable, watch]), [
 *   ["docs", false, false],
 *   ["notes", true, true],
 * ]);
 * assertEquals(parseSourceList("notes"), undefined);
 * ```
 */
export function parseSourceList(text: string): readonly ConfiguredSource[] | undefined {
  const sources = text.split(",").map((item) => item.trim()).filter((item) => item !== "").map(parseItem);
  const names = new Set(sources.map((source) => source?.name));
  const isValid = sources.every((source) => source !== undefined) && names.size === sources.length;
  return isValid ? sources : undefined;
}

function parseItem(item: string): ConfiguredSource | undefined {
  const parts = item.split(":");
  const options: string[] = [];
  // From the end: the path of a Windows drive has a colon, too.
  while (parts.length > 2 && ["ro", "rw", "watch"].includes(parts.at(-1) ?? "")) {
    options.push(parts.pop() ?? "");
  }
  const name = parts.pop() ?? "";
  const path = parts.join(":");
  // A colon elsewhere is a mistyped option.
  if (!NAME.test(name) || !isAbsolute(path) || !/^(?:[A-Za-z]:)?[^:]*$/.test(path)) return undefined;
  const [watch, writable] = [options.includes("watch"), options.includes("rw")];
  return { name, path, tags: [], include: [], exclude: [], watch, writable, sections: [] };
}

function describe(issue: z.core.$ZodIssue, table: unknown): string {
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = issue.path.length === 0 ? SourceTable : SourceTable.shape.sections.unwrap().element;
    const meant = closestName(key, Object.keys(known.shape));
    return `unknown key ${JSON.stringify(key)}${meant ? `: did you mean ${meant}?` : ""}`;
  }
  const name = issue.path.join(".");
  if (issue.code === "invalid_type") {
    return `${name} ${valueAt(table, issue.path) === undefined ? "is missing: it must" : "must"} ${
      requirementOf(issue)
    }`;
  }
  return `${name} must be ${issue.message}`;
}
