/**
 * Configuration: one table that feeds parsing, `--help` and the README.
 *
 * Every setting is an environment variable; every secret may also be given as a file (`NAME_FILE`), as Docker and
 * systemd hand secrets over.
 *
 * @module
 */

/** Settings that cannot be used. `message` says which variable, what it must be and what it was (never a secret). */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Which command reads a setting. */
export type Role = "serve" | "engine";

interface Setting<T> {
  /** Turns the text into a value, or throws an Error whose message completes "NAME must be …". */
  readonly parse: (text: string) => T;
  /** The default as a person would type it; undefined: unset. */
  readonly fallback: string | undefined;
  /** The default inside the container image, where it differs. */
  readonly inImage?: string;
  readonly help: string;
  readonly secret: boolean;
  /** Whether white space around the value belongs to it. */
  readonly isVerbatim?: boolean;
  readonly roles: readonly Role[];
}

interface SettingOptions {
  inImage?: string;
  isVerbatim?: boolean;
  roles?: readonly Role[];
}

const BOTH: readonly Role[] = ["serve", "engine"];

function required<T>(
  parse: (text: string) => T,
  fallback: string,
  help: string,
  options: SettingOptions = {},
): Setting<T> {
  return { parse, fallback, help, secret: false, roles: BOTH, ...options };
}

function optional<T>(
  parse: (text: string) => T,
  help: string,
  options: SettingOptions & { secret?: boolean } = {},
): Setting<T | undefined> {
  return { parse, fallback: undefined, help, secret: false, roles: BOTH, ...options };
}

function fail(requirement: string): never {
  throw new Error(requirement);
}

function text(value: string): string {
  return value;
}

/** A secret travels in an HTTP header, so it is held to what a bearer token may be (RFC 6750, b64token and more). */
function secret(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) ? value : fail("printable ASCII without spaces");
}

function httpUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    fail("an http:// or https:// URL without credentials, query or fragment, such as http://engine:8000");
  }
  return url.href.replace(/\/+$/, "");
}

function port(value: string): number {
  const n = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  return n >= 0 && n <= 65_535 ? n : fail("a port from 0 (any free one) to 65535");
}

function count(min: number, max: number): (value: string) => number {
  return (value) => {
    const n = /^\d{1,12}$/.test(value) ? Number(value) : -1;
    return n >= min && n <= max ? n : fail(`a whole number from ${min} to ${max}`);
  };
}

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds. A number without a unit counts seconds. */
function duration(minMs: number, maxMs: number): (value: string) => number {
  return (value) => {
    const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h)?$/.exec(value);
    const ms = match ? Number(match[1]) * (DURATION_UNITS[match[2] ?? "s"] ?? NaN) : NaN;
    return ms >= minMs && ms <= maxMs ? Math.round(ms) : fail(
      `a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, such as 3s, 500ms or 10m`,
    );
  };
}

function formatDuration(ms: number): string {
  for (const unit of ["h", "m", "s"] as const) {
    const size = DURATION_UNITS[unit] ?? 1;
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

const SIZE_UNITS: Record<string, number> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Bytes. `KiB`, `MiB`, `GiB` (also written `K`, `M`, `G`) are powers of 1024. */
function size(min: number, max: number): (value: string) => number {
  return (value) => {
    const match = /^(\d{1,15})\s*([KMG]?)(?:i?B)?$/i.exec(value);
    const bytes = match ? Number(match[1]) * (SIZE_UNITS[(match[2] ?? "").toUpperCase()] ?? NaN) : NaN;
    return bytes >= min && bytes <= max
      ? bytes
      : fail(`a size from ${formatSize(min)} to ${formatSize(max)}, such as 64MiB`);
  };
}

function formatSize(bytes: number): string {
  for (const unit of ["G", "M", "K"] as const) {
    const unitSize = SIZE_UNITS[unit] ?? 1;
    if (bytes >= unitSize && bytes % unitSize === 0) return `${bytes / unitSize}${unit}iB`;
  }
  return `${bytes}B`;
}

function oneOf<const T extends string>(...choices: T[]): (value: string) => T {
  return (value) => choices.find((choice) => choice === value) ?? fail(`one of ${choices.join(", ")}`);
}

function list(item: (value: string) => string): (value: string) => string[] {
  return (
    value,
  ) => [...new Set(value.split(",").map((part) => part.trim()).filter((part) => part !== "").map(item))];
}

function collectionName(value: string): string {
  return /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/.test(value)
    ? value
    : fail("names of 1–64 lower-case letters, digits, '-', '_' and '.', separated by commas");
}

function origin(value: string): string {
  const url = URL.parse(value);
  return url && url.origin !== "null" && url.origin === value.toLowerCase()
    ? url.origin
    : fail("origins such as https://app.example.com, separated by commas (no path, no wildcard)");
}

function hostName(value: string): string {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(value)
    ? value.toLowerCase()
    : fail("host names such as kb.example.com or kb.example.com:8443, separated by commas");
}

const GiB = 2 ** 30;
const MiB = 2 ** 20;
const SERVE: SettingOptions = { roles: ["serve"] };
const ENGINE: SettingOptions = { roles: ["engine"] };
const HOUR = 3_600_000;

/** The table. The order is the order of `--help` and of the README. */
export const SETTINGS = {
  KB_MCP_API_KEY: optional(
    secret,
    "Bearer token that agents must send. Unset: every caller is accepted.",
    { ...SERVE, secret: true },
  ),
  KB_MCP_HOST: required(text, "127.0.0.1", "Address the MCP server binds.", { ...SERVE, inImage: "0.0.0.0" }),
  KB_MCP_PORT: required(port, "8808", "Port of the MCP server; 0 takes a free one.", SERVE),
  KB_MCP_PUBLIC_URL: optional(
    httpUrl,
    "Base URL at which agents reach this server, for upload links; its host is allowed. Unset: the request's own.",
    SERVE,
  ),
  KB_MCP_ALLOWED_HOSTS: optional(
    list(hostName),
    "Host headers to accept beside the bound address, comma-separated. Unset on a loopback bind: loopback names only. Unset on any other bind: all.",
    SERVE,
  ),
  KB_MCP_ALLOWED_ORIGINS: optional(
    list(origin),
    "Browser origins to accept (and answer with CORS headers), comma-separated. Unset: loopback origins on a loopback bind, else none.",
    SERVE,
  ),
  KB_ENGINE_URL: optional(
    httpUrl,
    "Knowledge base engine to use. Unset: the embedded engine, in this process.",
    SERVE,
  ),
  KB_API_KEY: optional(
    secret,
    "Bearer token of the engine: sent to it by serve, required from callers by engine.",
    { secret: true },
  ),
  KB_ENGINE_TIMEOUT: required(
    duration(100, HOUR),
    "30s",
    "Deadline of one engine call, its body included.",
    SERVE,
  ),
  KB_ENGINE_CONNECT_TIMEOUT: required(
    duration(50, 60_000),
    "1500ms",
    "How long to try to reach the engine before it counts as unreachable.",
    SERVE,
  ),
  KB_ENGINE_MAX_ANSWER: required(size(MiB, GiB), "64MiB", "Largest answer accepted from the engine.", SERVE),
  KB_ENGINE_HOST: required(text, "127.0.0.1", "Address the engine binds.", { ...ENGINE, inImage: "0.0.0.0" }),
  KB_ENGINE_PORT: required(port, "8000", "Port of the engine; 0 takes a free one.", ENGINE),
  KB_DATA_DIR: optional(
    text,
    "Directory of the embedded engine's data. Unset: kb-mcp in the user's data directory.",
    { inImage: "/data" },
  ),
  KB_COLLECTIONS: optional(
    list(collectionName),
    "Collections beside documents, memory and workspace, comma-separated.",
    SERVE,
  ),
  KB_MCP_JOB_WAIT: required(
    duration(0, 50_000),
    "3s",
    "How long kb_addnote and kb_upload_finish wait for ingestion before they answer with the job alone.",
    SERVE,
  ),
  KB_MCP_MAX_BODY: required(size(64 * 1024, 256 * MiB), "8MiB", "Largest body of one MCP request.", SERVE),
  KB_MCP_BODY_TIMEOUT: required(
    duration(100, HOUR),
    "30s",
    "Time a request's body may take to arrive.",
    SERVE,
  ),
  KB_MCP_MAX_CONCURRENT: required(
    count(1, 10_000),
    "256",
    "MCP requests in progress at once; further ones get 503 with Retry-After.",
    SERVE,
  ),
  KB_UPLOAD_MAX_BYTES: required(size(1, 64 * GiB), "256MiB", "Largest file of one upload.", SERVE),
  KB_UPLOAD_MAX_PER_TOKEN: required(count(1, 1000), "8", "Uploads in progress per token.", SERVE),
  KB_UPLOAD_MAX_STAGED: required(size(1, 1024 * GiB), "1GiB", "Bytes staged by all uploads together.", SERVE),
  KB_UPLOAD_IDLE: required(
    duration(1000, 24 * HOUR),
    "10m",
    "Time after which an idle upload is removed.",
    SERVE,
  ),
  KB_MAX_FILE_BYTES: required(size(1, 64 * GiB), "256MiB", "Largest file that the embedded engine accepts."),
  KB_MAX_QUEUED_JOBS: required(
    count(1, 1_000_000),
    "10000",
    "Jobs that may wait in the embedded engine's queue.",
  ),
  KB_EXTRACT_TIMEOUT: required(
    duration(1000, 24 * HOUR),
    "5m",
    "Time that the text extraction of one file may take before its job fails.",
  ),
  KB_CHUNK_TOKENS: required(
    count(50, 4000),
    "320",
    "Largest chunk, in approximate tokens (4 characters each).",
  ),
  KB_CHUNK_OVERLAP: required(count(0, 1000), "48", "Overlap of neighbouring chunks, in approximate tokens."),
  KB_EMBEDDINGS_URL: optional(
    httpUrl,
    "OpenAI-compatible embeddings API, such as http://127.0.0.1:11434/v1. Unset: search is full text only.",
  ),
  KB_EMBEDDINGS_MODEL: optional(text, "Embedding model. After a change: kb-mcp reindex."),
  KB_EMBEDDINGS_API_KEY: optional(secret, "Bearer token of the embeddings API.", { secret: true }),
  KB_EMBEDDINGS_DIMENSIONS: optional(
    count(1, 16_384),
    "Dimensions to ask for, of models that can be asked. Unset: the model's own.",
  ),
  KB_EMBEDDINGS_QUERY_PREFIX: optional(
    text,
    "Text before each query, where the model wants one, such as `query: `.",
    { isVerbatim: true },
  ),
  KB_EMBEDDINGS_DOCUMENT_PREFIX: optional(
    text,
    "Text before each document, such as `passage: `. After a change: kb-mcp reindex.",
    { isVerbatim: true },
  ),
  KB_EMBEDDINGS_BATCH: required(count(1, 2048), "32", "Most texts in one request to the embeddings API."),
  KB_EMBEDDINGS_CONCURRENCY: required(count(1, 64), "2", "Requests for documents at once."),
  KB_EMBEDDINGS_TIMEOUT: required(
    duration(100, HOUR),
    "30s",
    "Time that a request for documents may take; one for a query has 5s of it at most.",
  ),
  KB_VECTOR_MEMORY: required(
    size(MiB, 1024 * GiB),
    "512MiB",
    "Memory for vectors; a search of more than fit reads them from disk, which is slower.",
  ),
  KB_LOG_LEVEL: required(
    oneOf("debug", "info", "warn", "error", "silent"),
    "info",
    "Least level that is logged, to standard error.",
  ),
} as const;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** All settings, parsed. Durations are milliseconds, sizes bytes, lists arrays; unset ones are undefined. */
export type Config = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]["parse"]> };

/** What {@linkcode loadConfig} reads from; both are injected so that a test needs neither process nor disk. */
export interface ConfigSource {
  /** Value of an environment variable. */
  env: (name: string) => string | undefined;
  /** Text of the file that a `NAME_FILE` variable names. */
  readFile: (path: string) => string;
}

/**
 * Reads every setting from the environment.
 *
 * An empty variable counts as unset, because compose files pass `${NAME:-}` for what is not given.
 *
 * @throws {ConfigError} With all problems at once, one line each.
 *
 * @example
 * ```ts
 * import { loadConfig } from "./config.ts";
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
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    try {
      const value = setting.secret ? readSecret(name, source) : readValue(name, setting, source);
      const given = value === "" || value === undefined ? setting.fallback : value;
      config[name] = given === undefined ? undefined : setting.parse(given);
    } catch (error) {
      if (error instanceof ConfigError) problems.push(error.message);
      else {
        const shown = setting.secret
          ? ""
          : `, got ${JSON.stringify(withoutPassword(source.env(name) ?? ""))}`;
        problems.push(`${name} must be ${(error as Error).message}${shown}`);
      }
    }
  }
  const { KB_CHUNK_OVERLAP: overlap, KB_CHUNK_TOKENS: chunk } = config as {
    [name: string]: number | undefined;
  };
  if (overlap !== undefined && chunk !== undefined && overlap > chunk / 2) {
    problems.push(`KB_CHUNK_OVERLAP must be at most half of KB_CHUNK_TOKENS, got ${overlap} of ${chunk}`);
  }
  for (const [given, missing] of [[URL_NAME, MODEL_NAME], [MODEL_NAME, URL_NAME]] as const) {
    // One that was given and cannot be used is told of already.
    if (config[given] !== undefined && missing in config && config[missing] === undefined) {
      problems.push(`${missing} must be set too when ${given} is`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config as Config;
}

const URL_NAME = "KB_EMBEDDINGS_URL" satisfies SettingName;
const MODEL_NAME = "KB_EMBEDDINGS_MODEL" satisfies SettingName;

function readValue(name: string, setting: Setting<unknown>, source: ConfigSource): string | undefined {
  const value = source.env(name);
  return setting.isVerbatim ? value : value?.trim();
}

/** A value without the password that a URL in it may carry. */
function withoutPassword(value: string): string {
  return value.replace(/\/\/[^/@\s]*@/g, "//***@");
}

function readSecret(name: string, source: ConfigSource): string | undefined {
  const value = source.env(name)?.trim();
  const path = source.env(`${name}_FILE`)?.trim();
  if (!path) return value;
  if (value) throw new ConfigError(`${name} and ${name}_FILE must not both be set: remove one of them`);
  try {
    const secretText = source.readFile(path).trim();
    if (secretText === "") {
      throw new ConfigError(`${name}_FILE must name a file with the secret in it, but it is empty`);
    }
    return secretText;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${name}_FILE must name a readable file, got ${JSON.stringify(path)}`, {
      cause: error,
    });
  }
}

/**
 * Names that look like settings and are none: a mistyped
 * `KB_MCP_API_KEY` would otherwise leave the door open without a word.
 *
 * @param names All names in the environment.
 *
 * @example
 * ```ts
 * import { unknownSettings } from "./config.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unknownSettings(["KB_MCP_APIKEY", "KB_API_KEY_FILE", "PATH"]), ["KB_MCP_APIKEY"]);
 * ```
 */
export function unknownSettings(names: readonly string[]): string[] {
  const known = new Set<string>();
  for (const { name, secret } of describeSettings()) {
    known.add(name);
    if (secret) known.add(`${name}_FILE`);
  }
  return names.filter((name) => name.startsWith("KB_") && !known.has(name));
}

/**
 * The settings that a command reads, as rows for `--help` and the README.
 *
 * @example
 * ```ts
 * import { describeSettings } from "./config.ts";
 * import { assert } from "@std/assert";
 * assert(describeSettings("engine").some((row) => row.name === "KB_ENGINE_PORT"));
 * ```
 */
export function describeSettings(role?: Role): SettingRow[] {
  return (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][])
    .filter(([, setting]) => role === undefined || setting.roles.includes(role))
    .map(([name, { fallback, inImage, help, secret, roles }]) => ({
      name,
      fallback,
      inImage,
      help,
      secret,
      roles,
    }));
}

/** A row of {@linkcode describeSettings}. */
export interface SettingRow {
  /** Name of the environment variable. */
  name: SettingName;
  /** Its default as text; undefined: unset. */
  fallback: string | undefined;
  /** The default inside the container image, where it differs. */
  inImage: string | undefined;
  /** What it sets, in one line. */
  help: string;
  /** Whether `NAME_FILE` is read too, and the value never shown. */
  secret: boolean;
  /** The commands that read it. */
  roles: readonly Role[];
}
