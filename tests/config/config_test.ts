import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type Config, ConfigError, describeSettings, loadConfig } from "../../src/config/mod.ts";

function load(env: Record<string, string>, files: Record<string, string> = {}): Config {
  return loadConfig({
    env: (name) => env[name],
    readFile: (path) => files[path] ?? assert(false, `no file ${path}`) as never,
  });
}

Deno.test("an empty environment gives the documented defaults", () => {
  const config = load({});
  assertEquals(config.KB_MCP_HOST, "127.0.0.1");
  assertEquals(config.KB_MCP_PORT, 8808);
  assertEquals(config.KB_MCP_JOB_WAIT, 3000);
  assertEquals(config.KB_UPLOAD_IDLE, 600_000);
  assertEquals(config.KB_ENGINE_URL, undefined);
  assertEquals(config.KB_MCP_API_KEY, undefined);
});

Deno.test("an empty variable counts as unset, because compose files pass one for a missing value", () => {
  const config = load({ KB_MCP_PORT: " ", KB_COLLECTIONS: "" });
  assertEquals([config.KB_MCP_PORT, config.KB_COLLECTIONS], [8808, undefined]);
});

Deno.test("a keys file that would have no effect is an error: without it, the server would be open", () => {
  assertEquals(load({ KB_MCP_KEYS: "keys.json" }).KB_MCP_KEYS, "keys.json");
  for (
    const [env, message] of [
      [{ KB_MCP_KEYS: " " }, /^KB_MCP_KEYS must not be empty/],
      [{ KB_MCP_KEYS_FILE: "keys.json" }, /^KB_MCP_KEYS_FILE must not be set: KB_MCP_KEYS itself/],
    ] as [Record<string, string>, RegExp][]
  ) {
    assertMatch(assertThrows(() => load(env), ConfigError).message, message);
  }
});

const good: [Record<string, string>, keyof Config, unknown][] = [
  [{ KB_ENGINE_URL: "http://engine:8000/" }, "KB_ENGINE_URL", "http://engine:8000"],
  [{ KB_ENGINE_URL: "https://kb.example/base//" }, "KB_ENGINE_URL", "https://kb.example/base"],
  [{ KB_MCP_JOB_WAIT: "0" }, "KB_MCP_JOB_WAIT", 0],
  [{ KB_MCP_JOB_WAIT: "1.5" }, "KB_MCP_JOB_WAIT", 1500],
  [{ KB_MCP_JOB_WAIT: "250ms" }, "KB_MCP_JOB_WAIT", 250],
  [{ KB_UPLOAD_IDLE: "2h" }, "KB_UPLOAD_IDLE", 7_200_000],
  [{ KB_UPLOAD_MAX_BYTES: "5242880" }, "KB_UPLOAD_MAX_BYTES", 5_242_880],
  [{ KB_UPLOAD_MAX_BYTES: "5 MiB" }, "KB_UPLOAD_MAX_BYTES", 5_242_880],
  [{ KB_UPLOAD_MAX_BYTES: "5m" }, "KB_UPLOAD_MAX_BYTES", 5_242_880],
  [{ KB_COLLECTIONS: "work, work ,team-notes," }, "KB_COLLECTIONS", ["work", "team-notes"]],
  [{ KB_MCP_ALLOWED_ORIGINS: "https://a.example,http://b.example:8080" }, "KB_MCP_ALLOWED_ORIGINS", [
    "https://a.example",
    "http://b.example:8080",
  ]],
  [{ KB_EMBEDDINGS_QUERY_PREFIX: "query: " }, "KB_EMBEDDINGS_QUERY_PREFIX", "query: "],
  [{ KB_VECTOR_MEMORY: "2GiB" }, "KB_VECTOR_MEMORY", 2 ** 31],
  [{ KB_MCP_MAX_BODY: "64kb" }, "KB_MCP_MAX_BODY", 65_536],
  [{ KB_ENGINE_ALLOWED_HOSTS: "engine:8000" }, "KB_ENGINE_ALLOWED_HOSTS", ["engine:8000"]],
  [{ KB_MCP_ALLOWED_HOSTS: "KB.example,[::1]:8808" }, "KB_MCP_ALLOWED_HOSTS", ["kb.example", "[::1]:8808"]],
];
for (const [env, name, value] of good) {
  Deno.test(`${JSON.stringify(env)} is accepted`, () => assertEquals(load(env)[name], value as never));
}

const bad: [Record<string, string>, RegExp][] = [
  [{ KB_MCP_PORT: "70000" }, /^KB_MCP_PORT must be a port from 0 \(any free one\) to 65535, got "70000"$/],
  [{ KB_MCP_PORT: "8808x" }, /KB_MCP_PORT must be/],
  [{ KB_ENGINE_URL: "engine:8000" }, /KB_ENGINE_URL must be an http/],
  [{ KB_ENGINE_URL: "http://user:pw@engine" }, /without credentials/],
  [{ KB_MCP_JOB_WAIT: "2 days" }, /KB_MCP_JOB_WAIT must be a duration from 0ms to 50s/],
  [{ KB_MCP_JOB_WAIT: "61s" }, /KB_MCP_JOB_WAIT/],
  [{ KB_MCP_MAX_BODY: "1KiB" }, /KB_MCP_MAX_BODY must be a size from 64KiB to 256MiB/],
  [{ KB_COLLECTIONS: "My Things" }, /KB_COLLECTIONS must be names/],
  [{ KB_MCP_ALLOWED_ORIGINS: "*" }, /KB_MCP_ALLOWED_ORIGINS must be origins/],
  [{ KB_MCP_ALLOWED_ORIGINS: "https://a.example/path" }, /KB_MCP_ALLOWED_ORIGINS/],
  [
    { KB_ENGINE_ALLOWED_HOSTS: "http://engine" },
    /^KB_ENGINE_ALLOWED_HOSTS must be host names such as .*, separated by commas, got "http:\/\/engine"$/,
  ],
  [{ KB_MCP_MAX_CONCURRENT: "0" }, /^KB_MCP_MAX_CONCURRENT must be a whole number from 1 to 10000, got "0"$/],
  [{ KB_LOG_LEVEL: "loud" }, /KB_LOG_LEVEL must be one of debug, info, warn, error, silent/],
  [
    { KB_EMBEDDINGS_URL: "http://127.0.0.1:1/v1" },
    /^KB_EMBEDDINGS_MODEL must be set when KB_EMBEDDINGS_URL is set$/,
  ],
  [
    { KB_EMBEDDINGS_MODEL: "builtin", KB_EMBEDDINGS_URL: "http://host/v1" },
    /^KB_EMBEDDINGS_MODEL must name a model of KB_EMBEDDINGS_URL, got builtin: unset one of the two$/,
  ],
  [
    { KB_EMBEDDINGS_MODEL: "builtin", KB_EMBEDDINGS_DIMENSIONS: "64" },
    /^KB_EMBEDDINGS_DIMENSIONS must be unset without KB_EMBEDDINGS_URL: a model in this process has its own$/,
  ],
  [
    { KB_EMBEDDINGS_URL: "ftp://host", KB_EMBEDDINGS_MODEL: "m" },
    /^KB_EMBEDDINGS_URL must be an http[^\n]+$/,
  ],
  [{ KB_CHUNK_TOKENS: "100", KB_CHUNK_OVERLAP: "60" }, /KB_CHUNK_OVERLAP must be at most half/],
];
for (const [env, message] of bad) {
  Deno.test(`${JSON.stringify(env)} is rejected with a message that says what it must be`, () => {
    assertMatch(assertThrows(() => load(env), ConfigError).message, message);
  });
}

Deno.test("all problems are reported at once", () => {
  const { message } = assertThrows(() => load({ KB_MCP_PORT: "x", KB_LOG_LEVEL: "y" }), ConfigError);
  assertEquals(message.split("\n").length, 2);
});

Deno.test("an error message never contains the credentials of a URL", () => {
  const urls: [url: string, shown: string][] = [
    ["http://user:hunter2@engine:8000", "http://***@engine:8000"],
    ["http://user:hun/ter2@engine:8000", "http://***@engine:8000"],
    ["http://user:hun ter2@engine", "http://***@engine"],
    ["http://user:hun@ter2@engine", "http://***@engine"],
    ["user:hunter2@engine", "***@engine"],
    ["http://engine?key=hunter2", "http://engine?***"],
    ["http://engine#hunter2", "http://engine#***"],
  ];
  for (const [url, shown] of urls) {
    const { message } = assertThrows(() => load({ KB_ENGINE_URL: url }), ConfigError);
    assert(message.endsWith(`, got ${JSON.stringify(shown)}`), message);
  }
});

Deno.test("every setting has a help text and a role, and accepts its own defaults", () => {
  for (const { name, default: value, imageDefault, help, roles } of describeSettings()) {
    assert(help.endsWith(".") && roles.length > 0, name);
    if (value !== undefined) load({ [name]: value });
    if (imageDefault !== undefined) load({ [name]: imageDefault });
  }
});
