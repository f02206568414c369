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
import { ConfigError } from "../config/config_error.ts";
import { standardError } from "../telemetry/log_output.ts";
import type { CommandContext, SettingWarning } from "./context.ts";
import { EX_USAGE, ExitError } from "./exit_status.ts";
import { ignoreSignals } from "./ignored_signals.ts";
import { excludeLoopback } from "./proxy.ts";

export type { CommandContext, SettingWarning };

/**
 * Runs the program.
 *
 * @param args Command line without the program's name.
 * @param context Default: this process.
 * @returns The exit status.
 */
export async function main(args: readonly string[], context?: CommandContext): Promise<number> {
  // Loaded on demand: the extraction process has no settings, and starts often.
  const loadContext = async () => {
    if (context) return context;
    ignoreSignals();
    excludeLoopback();
    return context = (await import("./context.ts")).createContext();
  };
  try {
    return await run(args, loadContext);
  } catch (error) {
    // The message comes last.
    await standardError.flush();
    if (error instanceof Deno.errors.NotCapable) {
      const { systemReason } = await import("../text/mod.ts");
      const [path = "a path"] = /"[^"]*"/.exec(error.message) ?? [];
      (await loadContext()).printError(`Cannot use ${path}: ${systemReason(error)}`);
      return EX_USAGE;
    }
    const failure = error instanceof ConfigError || error instanceof ExitError
      ? error
      : (await import("./system_failure.ts")).systemFailure(error);
    if (!failure) throw error;
    if (failure.message !== "") (await loadContext()).printError(failure.message);
    return failure instanceof ExitError ? failure.status : EX_USAGE;
  } finally {
    await standardError.flush();
  }
}

/**
 * Runs the commands that other programs start often directly: loading the parser of command lines takes as long as
 * they run.
 */
async function run(args: readonly string[], loadContext: () => Promise<CommandContext>): Promise<number> {
  const [command, argument = "serve", ...rest] = args;
  if (command === "extract-worker") {
    const { extractWorker } = await import("./extract_worker.ts");
    return await extractWorker(args.slice(1));
  }
  const context = await loadContext();
  if (command === "healthcheck" && (argument === "serve" || argument === "engine") && rest.length === 0) {
    const { healthcheck } = await import("./healthcheck.ts");
    return await healthcheck(argument, context);
  }
  const { runProgram } = await import("./program.ts");
  return await runProgram(args, context);
}
