import { assertEquals } from "@std/assert";

/** Command and environment of {@linkcode runToEnd}. */
export interface RunOptions {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  /** Text for standard input. */
  readonly input?: string;
}

/**
 * Runs a program in the root of the repository, asserts that it succeeds, and returns its standard output.
 */
export async function runToEnd({ command, env, input }: RunOptions): Promise<string> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, {
    args,
    cwd: new URL("../..", import.meta.url),
    env,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  assertEquals(code, 0, `${command.join(" ")}\n${decoder.decode(stdout)}\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
