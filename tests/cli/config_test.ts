import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SETTINGS } from "../../src/config/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { runCommand } from "./run_command.ts";

interface ShownConfig {
  readonly file: string | null;
  readonly settings: readonly { name: string; value: string | null; origin: string }[];
}

/** Runs `kb-mcp config`, and returns the values and origins of some settings. */
async function show(args: string[], env: Record<string, string>, names: string[]) {
  const { code, stdout, stderr } = await runCommand([...args, "config"], env);
  assertEquals(code, 0, stderr);
  const shown: ShownConfig = JSON.parse(stdout);
  assertEquals(shown.settings.map(({ name }) => name), Object.keys(SETTINGS));
  const values = names.map((name) => {
    const { value, origin } = shown.settings.find((setting) => setting.name === name)!;
    return [value, origin];
  });
  return { values, file: shown.file, stdout, stderr };
}

Deno.test("config shows values and their origins, and masks secrets", async () => {
  await using folder = await temporaryFolder({
    "kb.toml": 'port = 9000\nhost = "h"\napi_key = "file-secret-0123456"',
  });
  const path = `${folder.path}/kb.toml`;
  await Deno.chmod(path, 0o644);
  const { values, file, stdout, stderr } = await show(
    ["--config", path],
    {
      KB_MCP_HOST: "e",
      KB_API_KEY: "environment-secret",
      KB_MCP_PRT: "1",
      KB_MCP_METRICS_TOKEN: "1",
      KB_KEYS: "1",
    },
    ["KB_MCP_PORT", "KB_MCP_HOST", "KB_ENGINE_PORT", "KB_MCP_API_KEY", "KB_API_KEY", "KB_ENGINE_URL"],
  );
  assertEquals(file, path);
  assertEquals(values, [
    ["9000", "file"],
    ["e", "environment"],
    ["8000", "default"],
    ["***", "file"],
    ["***", "environment"],
    [null, "default"],
  ]);
  assertEquals((stdout + stderr).includes("secret-"), false);
  assertStringIncludes(stderr, "KB_MCP_PRT: unknown setting has no effect: did you mean KB_MCP_PORT?");
  // Some settings start with KB_MCP_, others with KB_.
  assertStringIncludes(
    stderr,
    "KB_MCP_METRICS_TOKEN: unknown setting has no effect: did you mean KB_METRICS_TOKEN?",
  );
  assertStringIncludes(stderr, "KB_KEYS: unknown setting has no effect: did you mean KB_MCP_KEYS?");
  assertMatch(stderr, /api_key: other users can read the keys in this file: run chmod 600 /);
});

Deno.test("the file is found by its variable and in the user's configuration directory", async () => {
  await using folder = await temporaryFolder({
    "one.toml": "port = 1",
    ".config/kb-mcp/kb-mcp.toml": "port = 2",
    "settings/kb-mcp/kb-mcp.toml": "port = 3",
  });
  const env = { HOME: folder.path };
  assertEquals((await show([], env, ["KB_MCP_PORT"])).values, [["2", "file"]]);
  const elsewhere = { ...env, XDG_CONFIG_HOME: `${folder.path}/settings` };
  assertEquals((await show([], elsewhere, ["KB_MCP_PORT"])).values, [["3", "file"]]);
  const named = { ...env, KB_MCP_CONFIG: `${folder.path}/one.toml` };
  assertEquals((await show([], named, ["KB_MCP_PORT"])).values, [["1", "file"]]);
  const missing = await runCommand(["config"], { KB_MCP_CONFIG: "/missing.toml" });
  assertEquals(missing.code, 64);
  assertStringIncludes(missing.stderr, 'KB_MCP_CONFIG must name a readable file, got "/missing.toml"');
});

Deno.test("config prints a table for people", async () => {
  const { stdout } = await runCommand(["config", "--port", "9", "--no-json"]);
  assertMatch(stdout, /^No configuration file\.\n\nSETTING +VALUE +ORIGIN\n/);
  assertMatch(stdout, /\nKB_MCP_PORT +9 +flag\n/);
});

Deno.test("an invalid flag is reported by its name, and a mistyped one with the closest", async () => {
  const cases: [string[], RegExp][] = [
    [["config", "--port", "x"], /^kb-mcp: --port must be a port .*, got "x"\n$/],
    [["engine", "--port", "x"], /^kb-mcp: --port must be a port /],
    [
      ["--prot", "1"],
      /^kb-mcp: Unknown option "--prot" \(did you mean --port\?\): see "kb-mcp serve --help"\n$/,
    ],
    [["serve", "--api-key", "x"], /^kb-mcp: Unknown option "--api-key"/],
    [["config", "--host", ""], /^kb-mcp: --host must not be empty/],
    [
      ["addnote", "- buy milk\n- bread"],
      /^kb-mcp: Unknown option "- buy milk - bread"\. Put an argument that starts with - after --: see /,
    ],
    [["addnote", `---\n${"x".repeat(500)}`], /^kb-mcp: Unknown option "--- x{75}…"\. Put an argument /],
    [["search", "jaguar", "-x"], /^kb-mcp: Unknown option "-x"\. Put words to exclude after --: see /],
    [
      ["search", "jaguar", "-car"],
      /^kb-mcp: "-car" is read as -c ar\. Write that, or put words to exclude after --/,
    ],
    [["search", "-tag", "x", "--", "-cab"], /^kb-mcp: "-tag" is read as -t ag\. /],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(args);
    assertMatch(stderr, message);
    assertEquals(code, 64);
  }
});
