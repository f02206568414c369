import { EngineError, type EngineErrorCode } from "../../client/mod.ts";
import { CollectionError } from "../../collections/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { ToolError } from "../../tools/mod.ts";
import { connect } from "../connection.ts";
import { terminalConfirm } from "../confirm.ts";
import type { CommandContext } from "../context.ts";
import { EX_UNAVAILABLE, EX_USAGE, ExitError } from "../exit_status.ts";
import { StopSignal } from "../stop_signal.ts";
import type { ClientContext } from "./client_context.ts";
import { errorText } from "./error_text.ts";
import { nameOptions } from "./option_names.ts";
import { Output } from "./output.ts";

/** Options of every command that uses an engine. */
export interface OutputFlags {
  /** Whether to print JSON. Default: unless standard output is a terminal. */
  readonly json?: boolean;
  /** False with `--no-color`. */
  readonly color?: boolean;
}

/** Options of {@linkcode runClient}. */
export interface RunOptions {
  /** Whether the command adds the first document, and so creates a data directory. @default {false} */
  readonly createsData?: boolean;
}

/** Codes of an engine that cannot be used, whatever the command. */
const UNAVAILABLE: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  "unreachable",
  "timeout",
  "unauthorized",
  "host_not_allowed",
  "engine_too_old",
  "busy",
  "invalid_response",
]);

/**
 * Runs a command with a connection to the engine, and sets its exit status.
 *
 * @param action Returns the exit status; undefined is 0.
 * @throws {ExitError} For an error that ends the command.
 * @throws {ConfigError} For invalid settings.
 */
export async function runClient(
  context: CommandContext,
  flags: OutputFlags,
  action: (client: ClientContext) => Promise<number | void>,
  { createsData = false }: RunOptions = {},
): Promise<void> {
  const config = await context.config();
  const { isTerminal } = context;
  const output = new Output({
    print: (text) => context.print(text),
    printError: (message) => context.printError(message),
    isTerminal,
    json: flags.json,
    color: isTerminal && flags.color !== false && !Deno.noColor,
    columns: isTerminal ? terminalColumns() : undefined,
  });
  // Problems of the engine end the command with a message; the log of a server has more about them.
  const log = createLogger(config.KB_LOG_LEVEL === "debug" ? "debug" : "error");
  using stop = new StopSignal();
  try {
    await using connection = await connect(config, {
      log,
      defaultDataDir: () => context.defaultDataDir(),
      createsData,
    });
    const { client, collections, name: engineName } = connection;
    const { signal } = stop;
    const status = await action({
      client,
      engineName,
      collections,
      output,
      now: Date.now,
      confirm: terminalConfirm(context),
      signal,
    });
    context.exit(stop.exitStatus || (status ?? 0));
  } catch (error) {
    if (stop.signal.aborted) context.exit(stop.exitStatus);
    // The reader has enough, as in `kb-mcp list | head`.
    else if (error instanceof Deno.errors.BrokenPipe) context.exit(0);
    else throw toExitError(error);
  }
}

/** Converts an error of a command to one that ends the program with a message. */
export function toExitError(error: unknown): unknown {
  if (error instanceof EngineError) {
    const text = errorText(error.message);
    if (error.code === "invalid") return new ExitError(EX_USAGE, nameOptions(text), { cause: error });
    const status = UNAVAILABLE.has(error.code) ? EX_UNAVAILABLE : 1;
    return new ExitError(status, text, { cause: error });
  }
  const isUsage = error instanceof CollectionError || error instanceof ToolError;
  return isUsage ? new ExitError(EX_USAGE, error.message, { cause: error }) : error;
}

function terminalColumns(): number | undefined {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return undefined;
  }
}
