import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProgram } from "../support/program.ts";
import { tinyCheckpoint, writeCheckpoint } from "../support/tiny_checkpoint.ts";
import { tinyModel } from "../support/tiny_model.ts";
import { runCommand } from "./run_command.ts";

Deno.test("model install puts a model file into a fresh data directory, and model list shows it", async () => {
  await using folder = await writeCheckpoint({ "heron.kbmodel": tinyModel({ name: "heron" }) });
  const env = { KB_DATA_DIR: `${folder.path}/data`, KB_EMBEDDINGS_MODEL: "builtin" };
  const installed = await runProgram(["model", "install", `${folder.path}/heron.kbmodel`], env);
  assertEquals([installed.code, installed.stderr], [0, ""]);
  assertMatch(
    installed.stdout,
    /^Installed heron \(0\.\d MB, CC0-1\.0\) as .*\/data\/models\/heron\.kbmodel\n/,
  );
  assertStringIncludes(installed.stdout, "set KB_EMBEDDINGS_MODEL=heron and run kb-mcp reindex");
  const { code, stdout, stderr } = await runProgram(["model", "list", "--no-json"], env);
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^NAME +STATE +SIZE +LICENSE +LANGUAGES\n/);
  assertMatch(stdout, /\nheron +installed +0\.\d MB +CC0-1\.0 +unknown\n/);
  assertMatch(stdout, /\nall-MiniLM-L6-v2 +active.* English\n/);
  assertMatch(stdout, /\nmultilingual-e5-small +available +131\.0 MB +MIT +94 languages\n/);
});

Deno.test("model install converts a checkpoint under the name of its folder or another one", async () => {
  await using folder = await writeCheckpoint(
    Object.fromEntries(Object.entries(tinyCheckpoint()).map(([name, bytes]) => [`teal/${name}`, bytes])),
  );
  const env = { KB_DATA_DIR: folder.path };
  const install = async (...args: string[]) =>
    (await runProgram(["model", "install", `${folder.path}/teal`, ...args], env)).stdout;
  assertStringIncludes(await install(), "Installed teal (");
  assertStringIncludes(await install("--name", "wigeon"), "Installed wigeon (");
});

Deno.test("model list marks a damaged model", async () => {
  await using folder = await writeCheckpoint({ "models/heron.kbmodel": tinyModel().slice(0, 5000) });
  const { stdout } = await runProgram(["model", "list", "--no-json"], { KB_DATA_DIR: folder.path });
  assertMatch(stdout, /\nheron +damaged +unknown +unknown\n/);
});

Deno.test("model install exits with 1 and one line for a file that is no model", async () => {
  await using folder = await writeCheckpoint({ "notes.md": new TextEncoder().encode("# Notes") });
  const { code, stdout, stderr } = await runProgram(["model", "install", `${folder.path}/notes.md`], {
    KB_DATA_DIR: folder.path,
  });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /^kb-mcp: .*notes\.md must be a \.kbmodel file, .*\n$/);
});

Deno.test("model refuses unknown actions and names with exit status 64", async () => {
  const cases: [string[], RegExp][] = [
    [[], /^Usage: kb-mcp model /],
    [["remove", "x"], /^kb-mcp: Unknown command "remove": see "kb-mcp model --help"\n$/],
    [["list", "x"], /^kb-mcp: list takes no arguments, got "x": /],
    [["install"], /^kb-mcp: Missing required argument "NAME\|FILE"/],
    [["install", "x", "--force"], /^kb-mcp: Unknown option "--force": see "kb-mcp model install --help"\n$/],
    [["install", "bge-small-en-v1.5", "--name", "x"], /--name must be used with a file/],
    [["install", "gpt"], /an existing file or one of all-MiniLM-L6-v2, .*, got "gpt"\n$/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(["model", ...args], { KB_DATA_DIR: "/nonexistent" });
    assertMatch(stderr, message);
    assertEquals(code, 64, args.join(" "));
  }
});
