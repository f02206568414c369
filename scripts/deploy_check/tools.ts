import { runCommand } from "../run_command.ts";

/** A check cannot run on this machine. */
export class SkippedError extends Error {
  override name = "SkippedError";
}

/**
 * Runs a program that must succeed.
 *
 * @param options.silent The program must print nothing: it exits with 0 although it has found something.
 * @throws {SkippedError} If it is not installed.
 */
export async function runTool(
  command: readonly [program: string, ...args: string[]],
  { silent = false }: { silent?: boolean } = {},
): Promise<void> {
  let result;
  try {
    result = await runCommand(command);
  } catch (error) {
    throw toSkipped(error, command[0]);
  }
  const { code, output } = result;
  if (code !== 0 || (silent && output.trim() !== "")) {
    throw new Error(`${command.join(" ")} exited with status ${code}:\n${output.slice(0, 4000)}`);
  }
}

/** Starts a program that runs until it is disposed of. */
export function startTool(
  command: readonly [program: string, ...args: string[]],
  env: Readonly<Record<string, string>> = {},
): AsyncDisposable & { readonly output: Promise<string>; readonly ended: Promise<Deno.CommandStatus> } {
  const [program, ...args] = command;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, { args, env, stdin: "null", stdout: "null", stderr: "piped" }).spawn();
  } catch (error) {
    throw toSkipped(error, program);
  }
  const output = new Response(child.stderr).text();
  return {
    output,
    ended: child.status,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGTERM");
      } catch {
        // It has already ended.
      }
      await Promise.all([child.status, output]);
    },
  };
}

function toSkipped(error: unknown, program: string): unknown {
  return error instanceof Deno.errors.NotFound ? new SkippedError(`${program} is not installed`) : error;
}
