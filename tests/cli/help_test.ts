import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { commandsOf } from "../../scripts/command_docs.ts";
import { createContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { describeSettings, settingFlag } from "../../src/config/mod.ts";
import { programCommand } from "../support/program.ts";
import { runCommand } from "./run_command.ts";

const PROGRAM = createProgram(createContext({ env: {}, writeOut() {}, writeError() {}, isTerminal: false }));

/** Returns the names of a command below the program. */
function pathOf(command: typeof PROGRAM): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

for (const command of commandsOf(PROGRAM)) {
  const path = pathOf(command);
  Deno.test(`kb-mcp ${path.join(" ")} --help has its options, examples and exit statuses`, async () => {
    const { code, stdout, stderr } = await runCommand([...path, "--help"]);
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(stdout, `Usage: kb-mcp ${path.join(" ")} `);
    for (const { flags, description } of command.options) {
      assertStringIncludes(stdout, `  ${flags} `);
      assert(description.length > 5, `${flags} needs a description`);
    }
    assertMatch(stdout, /\nExamples:\n {2}\S.*\n {6}\S/);
    assertMatch(stdout, /\nExit status:\n {2}0 +\S/);
  });
}

Deno.test("kb-mcp help COMMAND prints the help of the command only", async () => {
  const { code, stdout } = await runCommand(["help", "backup"]);
  assertEquals([code, stdout], [0, (await runCommand(["backup", "--help"])).stdout]);
  assertEquals(stdout.includes("KB_MCP_PORT"), false);
});

Deno.test("kb-mcp help with a name that is no command says so, and describes subcommands", async () => {
  const { code, stderr } = await runCommand(["help", "sarch"]);
  assertEquals(code, 64);
  assertEquals(stderr, 'kb-mcp: Unknown command "sarch" (did you mean search?): see "kb-mcp --help"\n');
  assertEquals((await runCommand(["sarch", "--help"])).code, 64);
  assertStringIncludes((await runCommand(["help", "source", "add"])).stdout, "Usage: kb-mcp source add ");
});

Deno.test("a value that is not one of a list is named with the list", async () => {
  const cases: [args: string[], message: string][] = [
    [["connect", "cusor"], "CLIENT must be one of claude-code, "],
    [
      ["completion", "dash"],
      'SHELL must be one of bash, zsh, fish, got "dash": see "kb-mcp completion --help"',
    ],
    [["search", "x", "--mode", "fuzzy"], '--mode must be one of hybrid, fts, vector, got "fuzzy": see '],
    [["health", "--check", "links"], "--check must be one or more of broken_links, missing_headings, "],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(args);
    assertEquals([code, stderr.startsWith(`kb-mcp: ${message}`)], [64, true], stderr);
  }
});

Deno.test("the help of a command with subcommands has examples and exit statuses", async () => {
  const groups = PROGRAM.commands.filter((command) => command.commands.length > 0);
  assert(groups.length > 2);
  for (const group of groups) {
    const { stdout } = await runCommand([group.name(), "--help"]);
    assertMatch(stdout, /\nExamples:\n {2}\S.*\n {6}\S[^]*\nExit status:\n {2}0 +\S/, group.name());
  }
});

Deno.test("options with the same name have the same short name in all commands", () => {
  const names = new Map<string, Set<string>>();
  const all = [...commandsOf(PROGRAM), ...PROGRAM.commands];
  for (const { long, short } of all.flatMap((command) => command.options)) {
    if (long) names.set(long, (names.get(long) ?? new Set()).add(short ?? "none"));
  }
  assertEquals([...names].filter(([, short]) => short.size > 1), []);
});

Deno.test("the usage names arguments as the list of commands and the documentation do", async () => {
  const cases: [args: string[], usage: string][] = [
    [["search"], "Usage: kb-mcp search [OPTIONS] QUERY...\n"],
    [["source", "sync"], "Usage: kb-mcp source sync [OPTIONS] [NAME] [PATH]\n"],
    [["collection"], "Usage: kb-mcp collection ID... NAME [OPTIONS]\n"],
    [["restore"], "Usage: kb-mcp restore [OPTIONS] ID|FILE\n"],
  ];
  for (const [args, usage] of cases) {
    const { stdout } = await runCommand([...args, "--help"]);
    assert(stdout.startsWith(usage), stdout.slice(0, 80));
    assertMatch(stdout, /\nArguments:\n {2}[A-Z|]+ /);
  }
});

Deno.test("the help of the program has each option once", async () => {
  const { stdout } = await runCommand(["--help"]);
  assertEquals(stdout.split("--config <path>").length, 2);
});

Deno.test("every setting of serve and engine is a flag, keys only as files", () => {
  for (const role of ["serve", "engine"] as const) {
    const flags = PROGRAM.commands.find((command) => command.name() === role)!.options.map(({ long }) =>
      long
    );
    const expected = describeSettings(role)
      .filter(({ name }) => name !== "KB_MCP_CONFIG")
      .map(({ name, secret }) => settingFlag(secret ? `${name}_FILE` : name, role));
    assertEquals(flags, expected);
  }
});

Deno.test("the help lists the commands by group, with the most important ones first", async () => {
  const { stdout } = await runCommand(["--help"]);
  const groups = [...stdout.matchAll(/^([A-Z]\w+):$/gm)].map(([, name]) => name);
  assertEquals(groups.filter((name) => name !== "Options").slice(0, 2), [
    "Serve",
    "Use",
  ]);
  assert(stdout.indexOf("  serve ") < stdout.indexOf("  search "));
});

Deno.test("a reader that closes the pipe ends the program without a message", async () => {
  await using child = programCommand(["--help"]).spawn();
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [141, ""]);
});

Deno.test({
  name: "output that cannot be written ends the program with the reason",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const command = `exec "$0" run -A --no-check main.ts version >/dev/full`;
    const { code, stderr } = await new Deno.Command("sh", { args: ["-c", command, Deno.execPath()] })
      .output();
    assertEquals(
      new TextDecoder().decode(stderr),
      "kb-mcp: Cannot write the output: No space left on device\n",
    );
    assertEquals(code, 1);
  },
});
