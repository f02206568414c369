import type * as z from "zod";
import { ConfigError } from "./config_error.ts";
import { findText } from "./layers.ts";
import { readSecret } from "./secrets.ts";
import { type Setting, type SettingName, SETTINGS } from "./settings.ts";
import type { ConfigSource, Origin } from "./source.ts";
import type { ConfiguredSource } from "./sources.ts";

/** Type of a parsed setting; undefined is possible without a default. */
export type SettingValue<S extends Setting> = S extends { default: string } ? z.output<S["schema"]>
  : z.output<S["schema"]> | undefined;

/**
 * All settings, parsed: durations in milliseconds, sizes in bytes, lists as arrays; unset ones are undefined.
 */
export type Config = { readonly [Name in SettingName]: SettingValue<(typeof SETTINGS)[Name]> } & {
  /** Folders that are sources: those of `KB_SOURCES`, else those of the configuration file. */
  readonly sources: readonly ConfiguredSource[];
};

/**
 * Reads and parses every setting.
 *
 * An empty variable counts as unset, because compose files pass `${NAME:-}` for values that are not given. An
 * empty secret is an error: it would turn authentication off.
 *
 * @throws {ConfigError} With all problems, one per line.
 *
 * @example
 * ```ts
 * import { loadConfig } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const env: Record<string, string> = { KB_MCP_JOB_WAIT: "500ms", KB_UPLOAD_MAX_BYTES: "1MiB" };
 * const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
 * assertEquals(config.KB_MCP_JOB_WAIT, 500);
 * assertEquals(config.KB_UPLOAD_MAX_BYTES, 1048576);
 * assertEquals(config.KB_MCP_PORT, 8808);
 * ```
 */
export function loadConfig(source: ConfigSource): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    try {
      values[name] = readSetting(name, setting, source);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
    }
  }
  // Invalid settings are missing here, and are reported already.
  problems.push(...checkDependencies(values as Partial<Config>), ...checkKeysFile(source));
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return { ...values, sources: values["KB_SOURCES"] ?? source.file?.sources ?? [] } as Config;
}

/** The launcher of the npm package sets this variable to its process id. */
export const LAUNCHER_VARIABLE = "KB_MCP_LAUNCHER";

/**
 * Returns the names that look like settings but are not: a mistyped `KB_MCP_API_KEY` would silently disable
 * authentication.
 *
 * @param names Names of all environment variables.
 *
 * @example
 * ```ts
 * import { unknownSettings } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unknownSettings(["KB_MCP_APIKEY", "KB_API_KEY_FILE", "PATH"]), ["KB_MCP_APIKEY"]);
 * ```
 */
export function unknownSettings(names: readonly string[]): string[] {
  const settings = Object.entries<Setting>(SETTINGS);
  const known = new Set(settings.flatMap(([name, { secret }]) => secret ? [name, `${name}_FILE`] : [name]));
  known.add(LAUNCHER_VARIABLE);
  return names.filter((name) => name.startsWith("KB_") && !known.has(name));
}

/** A setting as it was given, for the operator. */
export interface GivenSetting {
  readonly name: SettingName;
  /** Its text, `***` for a secret; undefined: unset. */
  readonly text: string | undefined;
  readonly origin: Origin;
}

/**
 * Returns every setting with its origin, in the order of the table. Secrets are masked.
 *
 * @throws {ConfigError} When a secret cannot be read.
 *
 * @example
 * ```ts
 * import { givenSettings } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const env: Record<string, string> = { KB_API_KEY: "0123456789abcdef" };
 * const given = givenSettings({ env: (name) => env[name], readFile: () => "" });
 * const key = given.find(({ name }) => name === "KB_API_KEY");
 * assertEquals(key, { name: "KB_API_KEY", text: "***", origin: "environment" });
 * ```
 */
export function givenSettings(source: ConfigSource): GivenSetting[] {
  return (Object.entries(SETTINGS) as [SettingName, Setting][]).map(([name, setting]): GivenSetting => {
    const given = setting.secret ? readSecret(name, source) : findText(name, source, setting);
    if (!given) return { name, text: setting.default, origin: "default" };
    return { name, text: "value" in given ? "***" : given.text, origin: given.origin };
  });
}

function readSetting(name: SettingName, setting: Setting, source: ConfigSource): unknown {
  if (setting.secret) {
    const secret = readSecret(name, source);
    return secret && parse(setting, secret.value, (requirement) => `${secret.label} must be ${requirement}`);
  }
  const given = findText(name, source, setting);
  const text = given?.text ?? setting.default;
  if (text === undefined) return undefined;
  const got = JSON.stringify(withoutCredentials(given?.text ?? ""));
  return parse(setting, text, (requirement) => `${given?.label ?? name} must be ${requirement}, got ${got}`);
}

function parse({ schema }: Setting, text: string, message: (requirement?: string) => string): unknown {
  const { success, data, error } = schema.safeParse(text);
  if (success) return data;
  throw new ConfigError(message(error.issues[0]?.message));
}

/** Removes what may be a secret in a mistyped URL: everything before an `@`, the query and the fragment. */
function withoutCredentials(value: string): string {
  return value.replace(/^(https?:\/\/)?.*@/is, "$1***@").replace(/(?<=[?#]).+/s, "***");
}

/** Returns a problem for each combination of settings that cannot be used. */
function checkDependencies(config: Partial<Config>): string[] {
  const problems: string[] = [];
  const { KB_CHUNK_TOKENS: chunk, KB_CHUNK_OVERLAP: overlap } = config;
  if (chunk !== undefined && overlap !== undefined && overlap > chunk / 2) {
    problems.push(`KB_CHUNK_OVERLAP must be at most half of KB_CHUNK_TOKENS, got ${overlap} of ${chunk}`);
  }
  return [...problems, ...checkEmbeddings(config)];
}

/**
 * Returns a problem for each sign of a keys file that would have no effect: like an empty secret, it would turn
 * authentication off.
 */
function checkKeysFile({ env }: ConfigSource): string[] {
  const problems: string[] = [];
  if (env("KB_MCP_KEYS")?.trim() === "") {
    problems.push("KB_MCP_KEYS must not be empty: set it to the path of the keys file, or unset it");
  }
  if (env("KB_MCP_KEYS_FILE") !== undefined) {
    problems.push(
      "KB_MCP_KEYS_FILE must not be set: KB_MCP_KEYS itself is the path of the keys file, set that one",
    );
  }
  return problems;
}

/** Settings of a model behind an API; a built-in model has them in its file. */
const API_SETTINGS = [
  "KB_EMBEDDINGS_DIMENSIONS",
  "KB_EMBEDDINGS_QUERY_PREFIX",
  "KB_EMBEDDINGS_DOCUMENT_PREFIX",
] as const satisfies readonly SettingName[];

function checkEmbeddings(config: Partial<Config>): string[] {
  const { KB_EMBEDDINGS_URL: url, KB_EMBEDDINGS_MODEL: model } = config;
  if (!("KB_EMBEDDINGS_URL" in config) || !("KB_EMBEDDINGS_MODEL" in config)) return [];
  if (url !== undefined) {
    if (model === undefined) return ["KB_EMBEDDINGS_MODEL must be set when KB_EMBEDDINGS_URL is set"];
    if (model !== "builtin") return [];
    return ["KB_EMBEDDINGS_MODEL must name a model of KB_EMBEDDINGS_URL, got builtin: unset one of the two"];
  }
  // Without a model, they are leftovers, with which earlier versions have started too.
  if (model === undefined || model === "off") return [];
  return API_SETTINGS.filter((name) => config[name] !== undefined).map((name) =>
    `${name} must be unset without KB_EMBEDDINGS_URL: a model in this process has its own`
  );
}
