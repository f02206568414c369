import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type Config, ConfigError, flagLayer, loadConfig, parseConfigFile } from "../../src/config/mod.ts";
import { settingKey, SETTINGS } from "../../src/config/mod.ts";

const PATH = "/srv/kb/kb-mcp.toml";

async function load(
  toml: string,
  env: Record<string, string> = {},
  flags: [string, string][] = [],
): Promise<Config> {
  return loadConfig({
    env: (name) => env[name],
    readFile: (path) => `content of ${path}`.replaceAll(" ", "-"),
    file: await parseConfigFile(toml, PATH),
    flags: flagLayer(new Map(flags.map(([name, text]) => [name, { flag: `--${settingKey(name)}`, text }]))),
  });
}

Deno.test("flags take precedence over the environment, that over the file, and that over defaults", async () => {
  const toml = 'port = 1\nhost = "file"\nupload_idle = "1m"';
  const env = { KB_MCP_PORT: "2", KB_MCP_HOST: "environment" };
  const config = await load(toml, env, [["KB_MCP_PORT", "3"]]);
  assertEquals(
    [config.KB_MCP_PORT, config.KB_MCP_HOST, config.KB_UPLOAD_IDLE, config.KB_ENGINE_PORT],
    [3, "environment", 60_000, 8000],
  );
});

Deno.test("values of a file have types, and paths start at its folder", async () => {
  const config = await load(
    'collections = ["work", "team"]\nmodel_download = false\njob_wait = 2\nmax_body = 1048576\n' +
      'data_dir = "../data"\napi_key_file = "key"\nengine_port = "8001"',
  );
  assertEquals(config.KB_COLLECTIONS, ["work", "team"]);
  assertEquals([config.KB_MODEL_DOWNLOAD, config.KB_MCP_JOB_WAIT, config.KB_MCP_MAX_BODY], [
    "off",
    2000,
    2 ** 20,
  ]);
  assertEquals([config.KB_DATA_DIR, config.KB_MCP_API_KEY], ["/srv/data", "content-of-/srv/kb/key"]);
  assertEquals(config.KB_ENGINE_PORT, 8001);
});

Deno.test("a key of a higher layer replaces the key file of a lower one", async () => {
  const config = await load('api_key_file = "key"', { KB_MCP_API_KEY: "environment" });
  assertEquals(config.KB_MCP_API_KEY, "environment");
  const flagged = await load("", { KB_MCP_API_KEY: "environment" }, [["KB_MCP_API_KEY_FILE", "/flag"]]);
  assertEquals(flagged.KB_MCP_API_KEY, "content-of-/flag");
});

Deno.test("sources are tables with a folder each", async () => {
  const { sources } = await load(`
[[sources]]
name = "docs"
path = "docs"
tags = ["manual"]
watch = true
[[sources.sections]]
prefix = "guide"
description = "How to"
`);
  assertEquals(sources, [{
    name: "docs",
    path: "/srv/kb/docs",
    tags: ["manual"],
    include: [],
    exclude: [],
    watch: true,
    writable: false,
    sections: [{ prefix: "guide", description: "How to" }],
  }]);
});

const INVALID: [toml: string, message: RegExp][] = [
  ["\nport = = 1", /^\/srv\/kb\/kb-mcp\.toml:2:\d+: not valid TOML: /],
  ["\n\nprot = 1", /^\/srv\/kb\/kb-mcp\.toml:3: unknown key "prot": did you mean port\?$/],
  ["KB_MCP_PORT = 1", /:1: unknown key "KB_MCP_PORT": did you mean port\?$/],
  ["nothing_like_it = 1", /:1: unknown key "nothing_like_it": see kb-mcp config --help$/],
  ["port = true", /:1: port must be a whole number, got a boolean$/],
  ["host = 1", /:1: host must be a string, got a number$/],
  ["host = 1\nport = []", /:1: host must .*\n.*:2: port must be a whole number, got an array$/],
  [
    'collections = ["a,b"]',
    /:1: collections must be an array of strings without commas, but one item is "a,b"$/,
  ],
  ["api_key_file = 1", /:1: api_key_file must be a path in quotes, got a number$/],
  ['[[sources]]\nname = "docs"', /:1: sources 1: path is missing: it must be a string$/],
  ['[[sources]]\nname = "docs"\npath = 1', /:1: sources 1: path must be a string$/],
  [
    '[[sources]]\nname = "docs"\npath = "d"\nwach = true',
    /:1: sources 1: unknown key "wach": did you mean watch\?$/,
  ],
  ['sources = "docs"', /:1: sources must be tables: \[\[sources\]\]$/],
];
for (const [toml, message] of INVALID) {
  Deno.test(`the file ${JSON.stringify(toml)} is rejected`, async () => {
    assertMatch((await assertRejects(() => parseConfigFile(toml, PATH), ConfigError)).message, message);
  });
}

Deno.test("an invalid value is reported with the key and the file, an empty one too", async () => {
  const reject = async (toml: string) => (await assertRejects(() => load(toml), ConfigError)).message;
  assertMatch(
    await reject("port = 70000"),
    /^port in \/srv\/kb\/kb-mcp\.toml must be a port .*, got "70000"$/,
  );
  assertMatch(await reject('host = ""'), /^host in .* must not be empty/);
  assertMatch(await reject('api_key = ""'), /^api_key in .* must not be empty/);
});

Deno.test("every setting has a key of its own", () => {
  const keys = Object.keys(SETTINGS).map(settingKey);
  assertEquals(keys.length, new Set(keys).size);
});
