/**
 * Replays docs/tutorial.md: runs its commands one after the other in a new home directory, and compares what they print.
 *
 *     deno task tutorial [--executable PATH]
 *
 * The commands need Debian's documentation packages, so it runs apart from the tests, as a step of `.ci/run`.
 *
 * @module
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RUN_PERMISSIONS, RUNTIME_FLAGS } from "../../scripts/permissions.ts";
import { print } from "../../scripts/print.ts";
import { unusedPort } from "../support/ports.ts";
import { Shell } from "./shell.ts";
import { matchesOutput, parseTranscript, type Step } from "./transcript.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Commands that only read. They are repeated until what they print is expected: the engine works in the background. */
const READ_ONLY = /^kb-mcp (?:(?:search|get|list|status|jobs|history|source list)\b|trash$)|^curl -s\S* http/;
/** Maximum time of a read-only command with its repetitions, and the delay between them, in milliseconds. */
const REPEAT_MS = 30_000;
const DELAY_MS = 300;

/** Runs a step until its output is the expected one. Returns the difference, if any. */
async function replay(shell: Shell, { command, output }: Step): Promise<string | undefined> {
  const end = READ_ONLY.test(command) ? performance.now() + REPEAT_MS : 0;
  for (;;) {
    const { output: actual } = await shell.run(command);
    if (matchesOutput(output, actual)) return undefined;
    if (performance.now() > end) return `expected:\n${output}\n\nactual:\n${actual}`;
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  }
}

/** Writes a program `kb-mcp` into a folder for PATH, as an installation has it. */
async function install(folder: string, executable: string | undefined): Promise<void> {
  const command = executable === undefined
    ? [Deno.execPath(), "run", ...RUNTIME_FLAGS, ...RUN_PERMISSIONS, join(ROOT, "main.ts")]
    : [executable];
  const script = `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "kb-mcp"), script, { mode: 0o755 });
}

const { values: { executable } } = parseArgs({
  args: Deno.args,
  options: { executable: { type: "string" } },
});
const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "tutorial-" }));
const bin = join(home, ".bin");
await install(bin, executable);
// The default port may be in use here.
const port = unusedPort();
const env = {
  HOME: home,
  PATH: `${bin}:${Deno.env.get("PATH")}`,
  NO_COLOR: "1",
  DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  KB_MCP_PORT: String(port),
  KB_MCP_URL: `http://127.0.0.1:${port}/mcp`,
};
let passed = 0;
let failed = 0;
{
  await using shell = await Shell.start({ cwd: home, env, fifo: join(home, ".commands") });
  const tutorial = (await Deno.readTextFile(join(ROOT, "docs/tutorial.md"))).replaceAll(
    "127.0.0.1:8808",
    `127.0.0.1:${port}`,
  );
  for (const step of parseTranscript(tutorial)) {
    const difference = await replay(shell, step);
    print(`${difference === undefined ? "ok" : "FAILED"}  docs/tutorial.md:${step.line}: ${step.command}`);
    if (difference === undefined) {
      passed++;
      continue;
    }
    failed++;
    print(difference);
    // Later steps depend on earlier ones.
    break;
  }
}
await Deno.remove(home, { recursive: true });
print(`${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
