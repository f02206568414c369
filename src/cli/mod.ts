/**
 * The command line. A command is flags → configuration → one call, and imports its implementation when it
 * runs, so that a health check does not load a server.
 *
 * Exit status: 0 success; 1 the command failed; 2 it failed for some of the files; 64 invalid arguments or
 * settings; 65 stored data is damaged or missing; 69 the server or engine cannot be reached; 128 + N stopped by
 * signal N.
 *
 * @module
 */
import { CommanderError } from "commander";
import { ConfigError } from "../config/mod.ts";
import { type CommandContext, createContext } from "./context.ts";
import { EX_USAGE, ExitError } from "./exit_status.ts";
import { createProgram } from "./program.ts";

export type { CommandContext } from "./context.ts";

/**
 * Runs the program.
 *
 * @param args Command line without the program's name.
 * @param context Default: this process.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  context: CommandContext = createContext(),
): Promise<number> {
  try {
    await createProgram(context).parseAsync(withCommand(args), { from: "user" });
    return context.status;
  } catch (error) {
    return failure(error, context);
  }
}

/** Reports an error for the operator. Returns the exit status. */
function failure(error: unknown, context: CommandContext): number {
  // The parser has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EX_USAGE;
  if (!(error instanceof ConfigError || error instanceof ExitError)) throw error;
  context.printError(error.message);
  return error instanceof ExitError ? error.status : EX_USAGE;
}

/** Returns the arguments with `serve`, the default command, when they begin with one of its options. */
function withCommand(args: readonly string[]): string[] {
  const [first] = args;
  if (first === undefined) return ["serve"];
  const isProgramOption = ["-h", "--help", "-V", "--version"].includes(first);
  return first.startsWith("-") && !isProgramOption ? ["serve", ...args] : [...args];
}
