import {
  collectionNames,
  duration,
  hostNames,
  httpUrl,
  integer,
  oneOf,
  origins,
  port,
  secret,
  size,
  sourceList,
  text,
  type ValueSchema,
} from "./values.ts";

/** A command that reads a setting; `client` includes all that use a knowledge base, such as `search`. */
export type Role = "serve" | "engine" | "client" | "recall";

/** MCP endpoint of a server with the default settings. */
export const DEFAULT_MCP_URL = "http://127.0.0.1:8808/mcp";

/** A setting: an environment variable and its documentation. */
export interface Setting<T = unknown> {
  /** Parses the text of the variable; its `description` is the help text. */
  readonly schema: ValueSchema<T>;
  /** Default, as a person would write it; undefined: unset. */
  readonly default?: string;
  /** Default in the container image, where it differs. */
  readonly imageDefault?: string;
  /** Whether the value is a secret: messages never contain it, and `NAME_FILE` may name a file with it. */
  readonly secret?: true;
  /** Whether it is a path, which in a configuration file starts at the folder of the file. */
  readonly path?: true;
  /** Whether white space around the value belongs to it. */
  readonly verbatim?: true;
  /** Commands that read the setting. Default: `serve` and `engine`. */
  readonly roles?: readonly Role[];
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const TiB = 2 ** 40;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const SERVE: readonly Role[] = ["serve"];
const ENGINE: readonly Role[] = ["engine"];
/** Commands that call an engine. */
const CALLERS: readonly Role[] = ["serve", "client"];
const ALL: readonly Role[] = ["serve", "engine", "client"];

/** Every setting, in the order of `--help` and of the documentation. */
export const SETTINGS = {
  KB_MCP_CONFIG: {
    schema: text().describe(
      "Configuration file (TOML). Unset: ./kb-mcp.toml, otherwise ~/.config/kb-mcp/kb-mcp.toml, if there is one.",
    ),
    path: true,
    roles: ["serve", "engine", "client", "recall"],
  },
  KB_MCP_API_KEY: {
    schema: secret().describe(
      "Bearer token that agents must send, and that `recall` sends. Unset: no authentication.",
    ),
    secret: true,
    roles: ["serve", "recall"],
  },
  KB_MCP_KEYS: {
    schema: text().describe(
      "Keys file: named keys with scopes, which `kb-mcp key` manages and a running server follows. KB_MCP_API_KEY is accepted too. Unset: no named keys.",
    ),
    path: true,
    roles: SERVE,
  },
  KB_MCP_HOST: {
    schema: text().describe("Address that the MCP server binds to."),
    default: "127.0.0.1",
    imageDefault: "0.0.0.0",
    roles: SERVE,
  },
  KB_MCP_PORT: {
    schema: port().describe("Port of the MCP server; 0 selects a free one."),
    default: "8808",
    roles: SERVE,
  },
  KB_MCP_URL: {
    schema: httpUrl().describe(
      "MCP endpoint of a running server. Unset, for recall: that of the server that uses the data directory, or else of serve " +
        "with these settings; stdio serves the data directory itself.",
    ),
    roles: ["recall"],
  },
  KB_MCP_PUBLIC_URL: {
    schema: httpUrl().describe(
      "Base URL at which agents reach this server, for upload links; its host is allowed. Unset: the Host header of the request.",
    ),
    roles: SERVE,
  },
  KB_MCP_ALLOWED_HOSTS: {
    schema: hostNames().describe(
      "Host headers to accept in addition to the bound address, comma-separated. Unset: loopback names only when bound to a loopback address, otherwise any.",
    ),
    roles: SERVE,
  },
  KB_MCP_ALLOWED_ORIGINS: {
    schema: origins().describe(
      "Browser origins to accept in addition to the server's own web page, with CORS headers, comma-separated. Unset: loopback origins only when bound to a loopback address, otherwise no origin.",
    ),
    roles: SERVE,
  },
  KB_ENGINE_URL: {
    schema: httpUrl().describe("Base URL of the engine. Unset: the engine embedded in this process."),
    roles: CALLERS,
  },
  KB_API_KEY: {
    schema: secret().describe(
      "Bearer token of the engine: `serve` sends it, `engine` requires it. Unset: no authentication.",
    ),
    secret: true,
    roles: ALL,
  },
  KB_ENGINE_TIMEOUT: {
    schema: duration(100, HOUR).describe("Timeout of a request to the engine, including the response body."),
    default: "30s",
    roles: CALLERS,
  },
  KB_ENGINE_CONNECT_TIMEOUT: {
    schema: duration(50, MINUTE).describe("Timeout for connecting to the engine."),
    default: "1500ms",
    roles: CALLERS,
  },
  KB_ENGINE_MAX_ANSWER: {
    schema: size(MiB, GiB).describe("Maximum size of a response from the engine."),
    default: "32MiB",
    roles: CALLERS,
  },
  KB_ENGINE_HOST: {
    schema: text().describe("Address that the engine binds to."),
    default: "127.0.0.1",
    imageDefault: "0.0.0.0",
    roles: ENGINE,
  },
  KB_ENGINE_PORT: {
    schema: port().describe("Port of the engine; 0 selects a free one."),
    default: "8000",
    roles: ENGINE,
  },
  KB_ENGINE_MAX_CONNECTIONS: {
    schema: integer(1, 100_000).describe(
      "Maximum number of open connections to the engine; keep it below half of the limit of open files.",
    ),
    default: "512",
    roles: ENGINE,
  },
  KB_ENGINE_ALLOWED_HOSTS: {
    schema: hostNames().describe(
      "Host headers that the engine accepts in addition to the bound address, comma-separated. Unset: loopback names only when bound to a loopback address, otherwise any.",
    ),
    roles: ENGINE,
  },
  KB_DATA_DIR: {
    schema: text().describe(
      "Data directory of the embedded engine. Unset: kb-mcp in the user's data directory.",
    ),
    imageDefault: "/data",
    path: true,
    roles: [...ALL, "recall"],
  },
  KB_SOURCES: {
    schema: sourceList().describe(
      "Folders that the embedded engine keeps in sync, comma-separated: /docs:docs:ro,/notes:notes:rw:watch. `rw` lets " +
        "agents create files, `watch` follows changes.",
    ),
  },
  KB_COLLECTIONS: {
    schema: collectionNames().describe(
      "Collections in addition to documents, memory and workspace, comma-separated.",
    ),
    roles: CALLERS,
  },
  KB_MCP_JOB_WAIT: {
    schema: duration(0, 50 * SECOND).describe(
      "How long kb_addnote and kb_upload_finish wait for ingestion before they return only the job.",
    ),
    default: "3s",
    roles: SERVE,
  },
  KB_MCP_COMPAT: {
    schema: oneOf("chatgpt").describe(
      "Adds tools for a client with requirements of its own. chatgpt: `search` and `fetch`, as ChatGPT's deep research calls them. Unset: none.",
    ),
    roles: SERVE,
  },
  KB_MCP_SOURCE_TOOLS: {
    schema: oneOf("on", "off").describe(
      "Adds tools for folders that stay in sync: kb_sections, kb_context, kb_digest, kb_health, kb_export, kb_write and kb_reindex. Unset: on if there are sources, configured or in the engine.",
    ),
    roles: SERVE,
  },
  KB_MCP_RESOURCE_LINKS: {
    schema: oneOf("on", "off").describe(
      "Links to documents in the results of tools, for clients that show them. off: LangChain and others send them to the model's provider as files, which refuses the request.",
    ),
    default: "off",
    roles: SERVE,
  },
  KB_MCP_PAGE: {
    schema: oneOf("on", "off").describe(
      "Web page at the address of the server, for people: search, read, add, edit, restore. off: plain text only.",
    ),
    default: "on",
    roles: SERVE,
  },
  KB_MCP_MAX_BODY: {
    schema: size(64 * KiB, 256 * MiB).describe("Maximum size of an MCP request."),
    default: "8MiB",
    roles: SERVE,
  },
  KB_MCP_BODY_TIMEOUT: {
    schema: duration(100, HOUR).describe(
      "Timeout for receiving a request body; one second more per 64 KiB received.",
    ),
    default: "30s",
  },
  KB_MCP_MAX_CONNECTIONS: {
    schema: integer(1, 100_000).describe(
      "Maximum number of open connections to the MCP server; keep it below half of the limit of open files.",
    ),
    default: "512",
    roles: SERVE,
  },
  KB_MCP_MAX_CONCURRENT: {
    schema: integer(1, 10_000).describe(
      "Maximum number of concurrent MCP requests, of which one client gets at most seven eighths; further ones get 503 with Retry-After.",
    ),
    default: "256",
    roles: SERVE,
  },
  KB_UPLOAD_MAX_BYTES: {
    schema: size(1, 64 * GiB).describe("Maximum size of an uploaded file."),
    default: "256MiB",
    roles: SERVE,
  },
  KB_UPLOAD_MAX_PER_TOKEN: {
    schema: integer(1, 1000).describe("Maximum number of unfinished uploads per token."),
    default: "8",
    roles: SERVE,
  },
  KB_UPLOAD_MAX_STAGED: {
    schema: size(1, TiB).describe("Maximum total size of unfinished uploads."),
    default: "1GiB",
    roles: SERVE,
  },
  KB_UPLOAD_IDLE: {
    schema: duration(SECOND, 24 * HOUR).describe("Time after which an idle upload is removed."),
    default: "10m",
    roles: SERVE,
  },
  KB_MAX_FILE_BYTES: {
    schema: size(1, 64 * GiB).describe("Maximum size of a file in the embedded engine."),
    default: "256MiB",
  },
  KB_MAX_QUEUED_JOBS: {
    schema: integer(1, 1_000_000).describe("Maximum number of queued jobs in the embedded engine."),
    default: "10000",
  },
  KB_KEPT_JOBS: {
    schema: integer(1, 10_000_000).describe(
      "Number of ended jobs that the embedded engine keeps; earlier ones are reported as expired.",
    ),
    default: "10000",
  },
  KB_REVISIONS: {
    schema: integer(0, 1000).describe(
      "Number of former versions of each document that the embedded engine keeps; 0 keeps none.",
    ),
    default: "20",
  },
  KB_REVISION_DAYS: {
    schema: integer(1, 36_500).describe("Days after which a former version is deleted."),
    default: "90",
  },
  KB_TRASH_DAYS: {
    schema: integer(0, 36_500).describe(
      "Days in which a deleted document can be restored; 0 erases deleted documents at once.",
    ),
    default: "30",
  },
  KB_EXTRACT_TIMEOUT: {
    schema: duration(SECOND, 24 * HOUR).describe(
      "Timeout for extracting the text of a file; then its job fails.",
    ),
    default: "5m",
  },
  KB_EXTRACT_CONCURRENCY: {
    schema: integer(1, 64).describe(
      "Maximum number of files whose text is extracted at the same time. Unset: one per core, at most 4.",
    ),
  },
  KB_MAX_TEXT_CHARS: {
    schema: integer(250_000, 1_000_000_000).describe("Maximum length of the text of a file, in characters."),
    default: "16000000",
  },
  KB_EXTRACT_MEMORY: {
    schema: size(256 * MiB, 64 * GiB).describe(
      "Maximum memory of a process that extracts text; a file that needs more fails.",
    ),
    default: "512MiB",
  },
  KB_OCR_TIMEOUT: {
    schema: duration(0, 24 * HOUR).describe(
      "Time for reading the images of a file by OCR, if its language data are installed (kb-mcp model install ocr-eng); " +
        "further pages are left out. 0 switches OCR off.",
    ),
    default: "2m",
  },
  KB_CHUNK_TOKENS: {
    schema: integer(50, 4000).describe("Maximum size of a chunk, in approximate tokens (4 characters each)."),
    default: "320",
  },
  KB_CHUNK_OVERLAP: {
    schema: integer(0, 1000).describe("Overlap of adjacent chunks, in approximate tokens."),
    default: "48",
  },
  KB_EMBEDDINGS_URL: {
    schema: httpUrl().describe(
      "OpenAI-compatible embeddings API, such as http://127.0.0.1:11434/v1. Unset: a model in this process.",
    ),
  },
  KB_EMBEDDINGS_MODEL: {
    schema: text().describe(
      "Embedding model: `builtin`, the name of an installed model, `off` for full text only, or with " +
        "KB_EMBEDDINGS_URL a model of the API. Unset: `builtin`. After a change, run `kb-mcp reindex`.",
    ),
  },
  KB_MODEL_DOWNLOAD: {
    schema: oneOf("on", "off").describe(
      "Whether the server downloads the model of KB_EMBEDDINGS_MODEL if it is missing.",
    ),
    default: "on",
  },
  KB_FETCH_ALLOWED_HOSTS: {
    schema: hostNames().describe(
      "Hosts of your own network whose pages may be fetched, with any address and port; " +
        "with a port, only that one. Comma-separated. Unset: public addresses only.",
    ),
  },
  KB_FETCH_MAX_BYTES: {
    schema: size(1, GiB).describe("Maximum size of a page or file that is fetched from the web."),
    default: "32MiB",
  },
  KB_FETCH_TIMEOUT: {
    schema: duration(100, HOUR).describe("Timeout for fetching a page, including redirects and body."),
    default: "60s",
  },
  KB_FETCH_DELAY: {
    schema: duration(0, MINUTE).describe("Minimum time between two requests to a website."),
    default: "250ms",
  },
  KB_EMBEDDINGS_API_KEY: {
    schema: secret().describe("Bearer token of the embeddings API."),
    secret: true,
  },
  KB_EMBEDDINGS_DIMENSIONS: {
    schema: integer(1, 16_384).describe(
      "Dimensions to request, for models that support it. Unset: the default of the model.",
    ),
  },
  KB_EMBEDDINGS_QUERY_PREFIX: {
    schema: text().describe("Prefix of each query, for models that need one, such as `query: `."),
    verbatim: true,
  },
  KB_EMBEDDINGS_DOCUMENT_PREFIX: {
    schema: text().describe(
      "Prefix of each document, such as `passage: `. After a change, run `kb-mcp reindex`.",
    ),
    verbatim: true,
  },
  KB_EMBEDDINGS_BATCH: {
    schema: integer(1, 2048).describe("Maximum number of texts in a request to the embeddings API."),
    default: "32",
  },
  KB_EMBEDDINGS_CONCURRENCY: {
    schema: integer(1, 64).describe("Maximum number of concurrent requests for document embeddings."),
    default: "2",
  },
  KB_EMBEDDINGS_TIMEOUT: {
    schema: duration(100, HOUR).describe(
      "Timeout of a request for document embeddings; for a query it is 5s at most.",
    ),
    default: "30s",
  },
  KB_VECTOR_MEMORY: {
    schema: size(MiB, TiB).describe(
      "Memory for vectors. A larger index is searched on disk, which is slower.",
    ),
    default: "512MiB",
  },
  KB_SEARCH_THREADS: {
    schema: integer(0, 64).describe(
      "Maximum number of threads for searches, each of which takes 12 MB and more. They start on demand. `0`: searches run on the main thread. Unset: one per core, at most 8.",
    ),
  },
  KB_LOG_LEVEL: {
    schema: oneOf("debug", "info", "warn", "error", "silent").describe(
      "Minimum level of log messages, which go to standard error.",
    ),
    default: "info",
    roles: ALL,
  },
  KB_LOG_FORMAT: {
    schema: oneOf("auto", "json", "text").describe(
      "Format of log messages: JSON lines or readable text. `auto`: text on a terminal, otherwise JSON lines.",
    ),
    default: "auto",
  },
  KB_METRICS_TOKEN: {
    schema: secret().describe(
      "Bearer token for `GET /metrics`. Unset: only this machine itself reads metrics.",
    ),
    secret: true,
  },
} as const satisfies Record<string, Setting>;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** Documentation of a setting, for `--help` and generated documents. */
export interface SettingRow {
  /** Name of the environment variable. */
  readonly name: SettingName;
  /** Default as text; undefined: unset. */
  readonly default: string | undefined;
  /** Default in the container image, where it differs. */
  readonly imageDefault: string | undefined;
  /** Help text: one line of complete sentences. */
  readonly help: string;
  /** Whether the value is a secret, which `NAME_FILE` may also name a file with. */
  readonly secret: boolean;
  /** Commands that read the setting. */
  readonly roles: readonly Role[];
}

/**
 * Returns the documentation of the settings, in the order of the table.
 *
 * @param role Limits it to the settings that this command reads.
 *
 * @example
 * ```ts
 * import { describeSettings } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const row = describeSettings("engine").find(({ name }) => name === "KB_ENGINE_PORT");
 * assertEquals([row?.default, row?.roles], ["8000", ["engine"]]);
 * ```
 */
export function describeSettings(role?: Role): SettingRow[] {
  const entries = Object.entries(SETTINGS) as [SettingName, Setting][];
  const rows = entries.map(([name, setting]): SettingRow => ({
    name,
    default: setting.default,
    imageDefault: setting.imageDefault,
    help: setting.schema.description ?? "",
    secret: setting.secret ?? false,
    roles: setting.roles ?? ["serve", "engine"],
  }));
  return role === undefined ? rows : rows.filter(({ roles }) => roles.includes(role));
}
