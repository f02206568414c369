/**
 * The command line. A command is flags → configuration → one call, and imports its implementation when it
 * runs, so that a health check does not load a server.
 *
 * Exit status: 0 success; 1 the command failed (an unhealthy server, a metric below the baseline, an unusable
 * embedding model, a model that cannot be installed, an unreachable server, a failed shutdown); 64 invalid arguments or settings; 65 stored data is damaged or missing; 128 + N stopped by signal N.
 *
 * @module
 */
import {
  type Config,
  ConfigError,
  type ConfigSource,
  loadConfig,
  secretWarnings,
  SETTINGS,
  unknownSettings,
} from "../config/mod.ts";
import { closestName } from "../text/mod.ts";
import { createLogger, type Logger } from "../telemetry/mod.ts";
import { NAME, VERSION } from "../version.ts";
import { banner } from "./banner.ts";
import { defaultDataDir } from "./data_dir.ts";
import { EX_USAGE, ExitError } from "./exit_status.ts";
import { help } from "./help.ts";
import { runUntilSignal } from "./lifecycle.ts";
import { readSecretFile } from "./secret_file.ts";

/** Commands by name. Each takes its arguments and returns the exit status. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => number | Promise<number>>> = {
  serve,
  engine,
  healthcheck,
  recall,
  eval: evaluate,
  model,
  reindex,
  backup,
  repair,
  "extract-worker": extractWorker,
  help: printHelp,
  "--help": printHelp,
  "-h": printHelp,
  version: printVersion,
  "--version": printVersion,
  "-V": printVersion,
};

/**
 * Runs the program.
 *
 * @param args Command line without the program's name.
 * @returns The exit status.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name = "serve", ...rest] = args;
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) {
      throw new ConfigError(`Unknown command ${JSON.stringify(name)}: "kb-mcp --help" lists the commands`);
    }
    return rest.includes("--help") || rest.includes("-h") ? printHelp() : await command(rest);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ExitError)) throw error;
    printError(error.message);
    return error instanceof ExitError ? error.status : EX_USAGE;
  }
}

async function serve(args: readonly string[]): Promise<number> {
  rejectArguments("serve", args);
  const config = readConfig();
  const log = createLoggerFor(config);
  const { startServer } = await import("./serve.ts");
  const server = await startServer(config, { log, defaultDataDir: dataDir });
  // Before the banner: a supervisor may send a signal as soon as it reads that the server is ready.
  const stopped = runUntilSignal(server, log);
  print(banner({
    url: `${config.KB_MCP_PUBLIC_URL ?? server.url}/mcp`,
    hasKey: config.KB_MCP_API_KEY !== undefined,
    engine: server.engine,
  }));
  log.info("serving MCP", { url: server.url, engine: server.engine, version: VERSION });
  await server.warmUp();
  return await stopped;
}

async function engine(args: readonly string[]): Promise<number> {
  rejectArguments("engine", args);
  const config = readConfig();
  const log = createLoggerFor(config);
  const { startEngine } = await import("./engine.ts");
  const running = await startEngine(config, { log, defaultDataDir: dataDir });
  const stopped = runUntilSignal(running, log);
  print(`kb-mcp engine is ready at ${running.url}\nData: ${running.dataDir}\n\nStop with Ctrl-C.\n`);
  log.info("serving the engine", { url: running.url, version: VERSION });
  await running.warmUp();
  return await stopped;
}

async function healthcheck([role = "serve", ...rest]: readonly string[]): Promise<number> {
  if ((role !== "serve" && role !== "engine") || rest.length > 0) {
    throw new ConfigError(
      `healthcheck takes "serve", "engine" or no argument, got ${JSON.stringify([role, ...rest].join(" "))}`,
    );
  }
  const { checkHealth } = await import("./healthcheck.ts");
  const problem = await checkHealth(readConfig(), role);
  if (problem !== undefined) printError(problem);
  return problem === undefined ? 0 : 1;
}

async function recall(args: readonly string[]): Promise<number> {
  const { parseRecallArguments, recall } = await import("./recall.ts");
  const config = readConfig();
  print(await recall(parseRecallArguments(args, config), config));
  return 0;
}

async function evaluate(args: readonly string[]): Promise<number> {
  const { parseEvalArguments, runEval } = await import("./eval.ts");
  const parsed = parseEvalArguments(args);
  const config = readConfig();
  return await runEval(parsed, config, {
    log: createLoggerFor(config),
    defaultDataDir: dataDir,
    modelDataDir: dataDir,
    print: (text) => print(`${text}\n`),
    progress: printError,
  });
}

async function reindex(args: readonly string[]): Promise<number> {
  rejectArguments("reindex", args);
  const { runReindex } = await import("./reindex.ts");
  return await runReindex(readConfig(), { defaultDataDir: dataDir, print, printError });
}

async function model(args: readonly string[]): Promise<number> {
  const { runModel } = await import("./model.ts");
  return await runModel(args, readConfig(), { defaultDataDir: dataDir, print, printError });
}

async function backup(args: readonly string[]): Promise<number> {
  const { runBackup } = await import("./maintenance.ts");
  return await runBackup(args, readConfig(), { defaultDataDir: dataDir, print });
}

async function repair(args: readonly string[]): Promise<number> {
  rejectArguments("repair", args);
  const { runRepair } = await import("./maintenance.ts");
  return await runRepair(readConfig(), { defaultDataDir: dataDir, print });
}

/** Internal: the engine starts it. Not in `--help`. */
async function extractWorker([maxMemoryBytes = ""]: readonly string[]): Promise<number> {
  if (!/^\d+$/.test(maxMemoryBytes) || Deno.stdin.isTerminal()) {
    throw new ConfigError("extract-worker is internal: the engine starts it to read uploaded files");
  }
  const { serveExtraction } = await import("../extraction_process/worker.ts");
  return await serveExtraction({ maxRssBytes: Number(maxMemoryBytes), keepsRead: !Deno.build.standalone });
}

function printHelp(): number {
  print(help());
  return 0;
}

function printVersion(): number {
  print(`${NAME} ${VERSION}\n`);
  return 0;
}

function rejectArguments(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new ConfigError(
    `${command} takes no arguments, got ${JSON.stringify(first)}: ` +
      'set environment variables to configure it, see "kb-mcp --help"',
  );
}

const source: ConfigSource = { env: (name) => Deno.env.get(name), readFile: readSecretFile };

function readConfig(): Config {
  return loadConfig(source);
}

function createLoggerFor(config: Config): Logger {
  const log = createLogger(config.KB_LOG_LEVEL);
  for (const name of unknownSettings(Object.keys(Deno.env.toObject()))) {
    const meant = closestName(name, Object.keys(SETTINGS));
    log.warn(`unknown setting has no effect: ${meant ? `did you mean ${meant}?` : "see kb-mcp --help"}`, {
      name,
    });
  }
  for (const { variable, message } of secretWarnings(config, source, Deno.statSync)) {
    log.warn(message, { name: variable });
  }
  return log;
}

function dataDir(): string {
  return defaultDataDir(Deno.build.os, (name) => Deno.env.get(name));
}

const encoder = new TextEncoder();

function print(text: string): void {
  Deno.stdout.writeSync(encoder.encode(text));
}

/** Writes a message to standard error, each line with the program's name. */
function printError(text: string): void {
  Deno.stderr.writeSync(encoder.encode(`kb-mcp: ${text.replaceAll("\n", "\nkb-mcp: ")}\n`));
}
