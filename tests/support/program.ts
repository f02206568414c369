/**
 * Runs the program as a process with its own permissions, to test its exit status and signals.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";

/** A started `kb-mcp serve` or `kb-mcp engine`. */
export interface Program extends AsyncDisposable {
  /** Base URL that the program printed. */
  readonly url: string;
  readonly child: Deno.ChildProcess;
  /** Standard error, when the program has ended. */
  readonly stderr: Promise<string>;
}

/** Folder of the program's sources. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Returns the environment of a program: free ports, no embedding model, and none of the KB_* settings of this
 * process.
 */
function environment(env: Record<string, string>): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("KB_"));
  return {
    ...Object.fromEntries(inherited),
    KB_MCP_PORT: "0",
    KB_ENGINE_PORT: "0",
    KB_EMBEDDINGS_MODEL: "off",
    NO_COLOR: "1",
    ...env,
  };
}

/** Runs the program and waits for its end. */
export async function runProgram(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await programCommand(args, env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * Starts a server and waits until it is ready. Disposing kills it.
 *
 * @param root Folder of the sources. Default: these.
 */
export async function startProgram(
  args: string[],
  env: Record<string, string> = {},
  { root = ROOT }: { root?: string } = {},
): Promise<Program> {
  const child = programCommand(args, env, root).spawn();
  const stderr = new Response(child.stderr).text();
  let output = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The program ended before it was ready: ${await stderr}`);
    output += value;
    url = /is ready at (http:\/\/[^\s/]+)/.exec(output)?.[1];
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    url,
    child,
    stderr,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has already ended.
      }
      await Promise.all([child.status, stderr, drained]);
    },
  };
}

/** Returns the command of the program with its own permissions and without standard input. */
export function programCommand(args: string[], env: Record<string, string> = {}, root = ROOT): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--config",
      join(root, "deno.json"),
      ...RUN_PERMISSIONS,
      join(root, "main.ts"),
      ...args,
    ],
    clearEnv: true,
    env: environment(env),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
