import { assertEquals, assertMatch } from "@std/assert";
import { Checks } from "../../scripts/checks.ts";
import { print } from "../../scripts/print.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { runConnect } from "../../src/cli/connect_client/mod.ts";
import { loadConfig } from "../../src/config/mod.ts";

/** Maximum duration of a client program, in milliseconds: it tries to reach the server. */
const TIME_LIMIT_MS = 60_000;

/** Clients whose own program reads the configuration that `kb-mcp connect` writes. */
const PROGRAMS: readonly {
  readonly client: string;
  readonly specifier: string;
  readonly command: readonly string[];
  readonly output: RegExp;
}[] = [
  {
    client: "codex",
    specifier: "@openai/codex@0.169.0",
    command: ["codex", "mcp", "get", "kb"],
    output: /url: http:\/\/127\.0\.0\.1:8808\/mcp\s+bearer_token_env_var: KB_MCP_API_KEY/,
  },
  {
    client: "gemini",
    specifier: "@google/gemini-cli@0.61.0",
    command: ["gemini", "mcp", "list"],
    output: /kb: http:\/\/127\.0\.0\.1:8808\/mcp \(http\)/,
  },
  {
    client: "claude-code",
    specifier: "@anthropic-ai/claude-code@2.1.330",
    command: ["claude", "mcp", "get", "kb"],
    output:
      /Type: http\s+URL: http:\/\/127\.0\.0\.1:8808\/mcp\s+Headers:\s+Authorization: Bearer \$\{KB_MCP_API_KEY\}/,
  },
];

/** Checks that the programs of clients read the configurations that `kb-mcp connect` writes. */
export async function checkConfigurations(directory: string): Promise<Checks> {
  const checks = new Checks("connect");
  const config = loadConfig({
    env: (name) => name === "KB_MCP_API_KEY" ? "configuration-key" : undefined,
    readFile: () => "",
  });
  for (const { client, specifier, command: [program = "", ...args], output } of PROGRAMS) {
    const home = `${directory}/${client}`;
    await Deno.mkdir(home);
    const installed = await runCommand([
      "npm",
      "install",
      "--prefix",
      `${home}/programs`,
      "--no-audit",
      "--no-fund",
      specifier,
    ]);
    if (installed.code !== 0) {
      print(`${specifier}: skipped: it is not available from npm`);
      continue;
    }
    await checks.check(`${specifier} reads the entry that connect writes`, async () => {
      await runConnect({ client, name: "kb", write: true, yes: true }, config, {
        print: () => {},
        printError: () => {},
        env: (name) => name === "HOME" ? home : undefined,
        defaultDataDir: () => home,
        confirm: undefined,
      });
      const { code, stdout, stderr } = await new Deno.Command(
        `${home}/programs/node_modules/.bin/${program}`,
        {
          args,
          cwd: home,
          clearEnv: true,
          env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, NO_COLOR: "1" },
          stdin: "null",
          signal: AbortSignal.timeout(TIME_LIMIT_MS),
        },
      ).output();
      const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
      assertEquals(code, 0, text);
      assertMatch(text, output);
    }).catch(() => {});
  }
  return checks;
}
