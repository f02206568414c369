/**
 * The program as a process of its own, for what cannot be seen from inside: exit status, signals, `kill -9`.
 *
 * @module
 */

/** A started `kb-mcp serve` or `kb-mcp engine`. */
export interface Program extends AsyncDisposable {
  /** Base URL, as the program printed it. */
  readonly url: string;
  readonly child: Deno.ChildProcess;
  /** All of standard error, once the program has ended. */
  readonly stderr: Promise<string>;
}

const MAIN = new URL("../../main.ts", import.meta.url);

/** Environment of every started program: nothing of the caller's KB_* settings, a free port, no noise. */
function environment(env: Record<string, string>): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("KB_"));
  return { ...Object.fromEntries(inherited), KB_MCP_PORT: "0", KB_ENGINE_PORT: "0", NO_COLOR: "1", ...env };
}

/** Runs the program to its end. */
export async function runProgram(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await command(args, env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts a serving program and waits until it says that it is ready. Disposing kills what still runs. */
export async function startProgram(args: string[], env: Record<string, string> = {}): Promise<Program> {
  const child = command(args, env).spawn();
  const stderr = new Response(child.stderr).text();
  let seen = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The program ended before it was ready: ${await stderr}`);
    seen += value;
    url = /is ready at (http:\/\/[^\s/]+)/.exec(seen)?.[1];
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
        // It has ended by itself.
      }
      await Promise.all([child.status, stderr, drained]);
    },
  };
}

function command(args: string[], env: Record<string, string>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", MAIN.pathname, ...args],
    clearEnv: true,
    env: environment(env),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
