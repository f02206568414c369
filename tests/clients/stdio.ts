import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { Checks } from "../../scripts/checks.ts";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { print } from "../../scripts/print.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { tools } from "../../src/tools/mod.ts";
import { denoDir } from "../support/product.ts";
import { inspectorOver } from "./inspector.ts";
import { runStory } from "./story.ts";

/** The official Python client. */
const PYTHON_CLIENT = "mcp==2.3.0";

/** Drives `kb-mcp stdio` with the official inspector and the official Python client. */
export async function checkStdio(directory: string): Promise<Checks[]> {
  const checks = ["2025-11-25", "2026-07-28"].map((version) => ({
    version: version as "2025-11-25" | "2026-07-28",
    checks: new Checks(`inspector over stdio, ${version}`),
  }));
  const { command, env } = await stdioProgram(`${directory}/stdio`);
  for (const { version, checks: each } of checks) {
    const config = `${directory}/inspector.json`;
    const [program, ...args] = command;
    await Deno.writeTextFile(config, JSON.stringify({ mcpServers: { kb: { command: program, args, env } } }));
    const client = inspectorOver(["--config", config, "--server", "kb"], directory, version);
    // A failed check is printed and counted.
    await runStory(each, client, `inspector over stdio ${version}`).catch(() => {});
  }
  const python = new Checks(`${PYTHON_CLIENT} over stdio`);
  const interpreter = await installPythonClient(directory);
  if (interpreter === undefined) print(`${PYTHON_CLIENT}: skipped: it is not available from PyPI`);
  else {
    await python.check("initializes, lists the tools and adds a note", async () => {
      const script = fileURLToPath(new URL("./stdio_client.py", import.meta.url));
      const { code, stdout, stderr } = await new Deno.Command(interpreter, {
        args: [script, ...command],
        env,
      }).output();
      const decoder = new TextDecoder();
      assertEquals(code, 0, decoder.decode(stderr));
      const { tools: count, document_id } = JSON.parse(decoder.decode(stdout));
      assertEquals([count, typeof document_id], [tools.length, "number"]);
    }).catch(() => {});
  }
  return [...checks.map(({ checks }) => checks), python];
}

/** Returns the command line of `kb-mcp stdio` from its sources, and its environment. */
async function stdioProgram(
  home: string,
): Promise<{ command: readonly string[]; env: Record<string, string> }> {
  const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const flags = ["run", "--quiet", "--config", path("deno.json"), ...RUN_PERMISSIONS];
  return {
    command: [Deno.execPath(), ...flags, path("main.ts"), "stdio"],
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      DENO_DIR: await denoDir(),
      KB_DATA_DIR: `${home}/data`,
      KB_EMBEDDINGS_MODEL: "off",
    },
  };
}

async function installPythonClient(directory: string): Promise<string | undefined> {
  const venv = `${directory}/venv`;
  try {
    const created = await runCommand(["python3", "-m", "venv", venv]);
    if (created.code !== 0) return undefined;
    const { code } = await runCommand([`${venv}/bin/pip`, "install", "--quiet", PYTHON_CLIENT]);
    return code === 0 ? `${venv}/bin/python` : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
