import { isAbsolute, join, resolve } from "node:path";
import { closestName } from "../text/mod.ts";
import { ConfigError } from "./config_error.ts";
import { settingKey } from "./keys.ts";
import { type Setting, type SettingName, SETTINGS } from "./settings.ts";
import type { ConfigFile } from "./source.ts";
import { type ConfiguredSource, parseSourceTables } from "./sources.ts";
import { valueKind } from "./values.ts";

/** Variables by key: settings, and files with secrets. Not `KB_MCP_CONFIG`, which names the file itself. */
const VARIABLES: ReadonlyMap<string, { readonly name: SettingName; readonly variable: string }> = new Map(
  (Object.entries(SETTINGS) as [SettingName, Setting][])
    .filter(([name]) => name !== "KB_MCP_CONFIG")
    .flatMap(([name, { secret }]) =>
      (secret ? [name, `${name}_FILE`] : [name]).map((variable) => [settingKey(variable), { name, variable }])
    ),
);

/**
 * Parses a configuration file (TOML): keys of settings, and `[[sources]]`. Relative paths start at its folder.
 *
 * @param path Path of the file, for messages and relative paths.
 * @throws {ConfigError} With every problem: syntax, unknown keys, values of another type.
 *
 * @example
 * ```ts
 * import { loadConfig, parseConfigFile } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const file = await parseConfigFile('port = 9000\ndata_dir = "data"', "/srv/kb-mcp.toml");
 * const config = loadConfig({ env: () => undefined, readFile: () => "", file });
 * assertEquals([config.KB_MCP_PORT, config.KB_DATA_DIR], [9000, "/srv/data"]);
 * ```
 */
export async function parseConfigFile(text: string, path: string): Promise<ConfigFile> {
  const { parse, TomlError } = await import("smol-toml");
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // The message of the parser continues with an excerpt of the file, which may contain a secret.
    const reason = cause.message.split("\n")[0]?.replace("Invalid TOML document: ", "");
    throw new ConfigError(`${path}:${cause.line}:${cause.column}: not valid TOML: ${reason}`);
  }
  const folder = resolve(path, "..");
  const problems: string[] = [];
  const texts = new Map<string, string>();
  let sources: readonly ConfiguredSource[] | undefined;
  for (const [key, value] of Object.entries(table)) {
    const place = `${path}:${lineOf(text, key)}`;
    try {
      if (key === "sources") sources = parseSourceTables(value, folder);
      else {
        const [variable, written] = readKey(key, value, folder);
        texts.set(variable, written);
      }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.message.split("\n").map((problem) => `${place}: ${problem}`));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return {
    path,
    sources,
    secrets: [...VARIABLES].flatMap(([key, { name, variable }]) =>
      isSecret(name) && variable === name && texts.has(name) ? [key] : []
    ),
    layer: {
      origin: "file",
      get: (variable) => texts.get(variable),
      label: (variable) => `${settingKey(variable)} in ${path}`,
    },
  };
}

/** Returns the variable of a key, and the text of its value as in an environment variable. */
function readKey(key: string, value: unknown, folder: string): [variable: string, text: string] {
  const known = VARIABLES.get(key);
  if (!known) {
    const variable = [...VARIABLES].find(([, each]) => each.variable === key);
    const meant = variable?.[0] ?? closestName(key, [...VARIABLES.keys(), "sources"]);
    throw new ConfigError(
      `unknown key ${JSON.stringify(key)}: ${meant ? `did you mean ${meant}?` : "see kb-mcp config --help"}`,
    );
  }
  const { name, variable } = known;
  const text = variable === name ? textOf(key, value, SETTINGS[name]) : pathText(key, value);
  const isPath = variable !== name || "path" in SETTINGS[name];
  return [variable, isPath && text !== "" && !isAbsolute(text) ? join(folder, text) : text];
}

function pathText(key: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new ConfigError(`${key} must be a path in quotes, got ${typeName(value)}`);
}

/** Returns a value as text. A string is taken as it is, like an environment variable. */
function textOf(key: string, value: unknown, setting: Setting): string {
  if (typeof value === "string") return value;
  const kind = valueKind(setting.schema);
  if (typeof value === "number" && ["port", "number", "duration", "size"].includes(kind)) {
    return String(value);
  }
  if (typeof value === "boolean" && kind === "switch") return value ? "on" : "off";
  if (kind === "list" && Array.isArray(value)) return listText(key, value);
  throw new ConfigError(`${key} must be ${TYPES[kind]}, got ${typeName(value)}`);
}

const TYPES: Readonly<Record<ReturnType<typeof valueKind>, string>> = {
  text: "a string",
  secret: "a string",
  choice: "a string",
  url: "a string",
  port: "a whole number",
  number: "a whole number",
  duration: 'a duration such as "30s", or a number of seconds',
  size: 'a size such as "8MiB", or a number of bytes',
  list: "an array of strings",
  switch: "true or false",
};

function listText(key: string, value: readonly unknown[]): string {
  for (const item of value) {
    if (typeof item === "string" && !item.includes(",")) continue;
    const got = typeof item === "string" ? JSON.stringify(item) : typeName(item);
    throw new ConfigError(`${key} must be an array of strings without commas, but one item is ${got}`);
  }
  return value.join(",");
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

function isSecret(name: SettingName): boolean {
  return "secret" in SETTINGS[name];
}

/** Returns the line of a key at the top of the file, from 1: the parser reports no positions of values. */
function lineOf(text: string, key: string): number {
  const lines = text.split("\n");
  const names = [key, JSON.stringify(key), `'${key}'`];
  const index = lines.findIndex((line) =>
    names.some((name) => {
      const rest = line.trim().replace(/^\[{1,2}\s*/, "");
      return rest.startsWith(name) && /^\s*[=\].]/.test(rest.slice(name.length));
    })
  );
  return Math.max(index, 0) + 1;
}
