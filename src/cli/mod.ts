/**
 * The command line: a command is arguments → configuration → one call. What a command needs is imported when it is
 * run, so that a health check need not load a server.
 *
 * @module
 */
import { type Config, ConfigError, loadConfig, unknownSettings } from "../config/mod.ts";
import { createLogger, type Logger } from "../telemetry/mod.ts";
import { NAME, VERSION } from "../version.ts";
import { banner } from "./banner.ts";
import { defaultDataDir } from "./data_dir.ts";
import { help } from "./help.ts";
import { runUntilSignal } from "./lifecycle.ts";

/** Exit status of a command line or a configuration that cannot be used (BSD `sysexits.h`, EX_USAGE). */
const EX_USAGE = 64;

/**
 * Runs the program.
 *
 * @param args The command line, without the program's name.
 * @returns The exit status.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [command = "serve", ...rest] = args;
  try {
    switch (command) {
      case "serve":
        return await serve(rest);
      case "engine":
        return await engine(rest);
      case "healthcheck":
        return await health(rest);
      case "eval":
        return await evaluation(rest);
      case "reindex":
        return await reindex(rest);
      case "help":
      case "--help":
      case "-h":
        return printHelp();
      case "version":
      case "--version":
      case "-V":
        print(`${NAME} ${VERSION}\n`);
        return 0;
      default:
        throw new ConfigError(
          `Unknown command ${JSON.stringify(command)}: "kb-mcp --help" lists the commands`,
        );
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    complain(error.message);
    return EX_USAGE;
  }
}

async function serve(args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return printHelp();
  takeNoArguments("serve", args);
  const config = readConfig();
  const log = loggerOf(config);
  const { startServer } = await import("./serve.ts");
  const server = await startServer(config, { log, defaultDataDir: dataDir });
  // Before anyone is told that it is ready: from here on a signal means a shutdown in good order.
  const stopped = runUntilSignal(server, log);
  print(
    banner(
      `${config.KB_MCP_PUBLIC_URL ?? server.url}/mcp`,
      config.KB_MCP_API_KEY !== undefined,
      server.engine,
    ),
  );
  log.info("serving MCP", { url: server.url, engine: server.engine, version: VERSION });
  await server.warmUp();
  return await stopped;
}

async function engine(args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return printHelp();
  takeNoArguments("engine", args);
  const config = readConfig();
  const log = loggerOf(config);
  const { startEngine } = await import("./engine.ts");
  const running = await startEngine(config, { log, defaultDataDir: dataDir });
  const stopped = runUntilSignal(running, log);
  print(`kb-mcp engine is ready at ${running.url}\nData: ${running.dataDir}\n\nStop with Ctrl-C.\n`);
  log.info("serving the engine", { url: running.url, version: VERSION });
  running.warmUp();
  return await stopped;
}

async function health([role = "serve", ...rest]: readonly string[]): Promise<number> {
  if ((role !== "serve" && role !== "engine") || rest.length > 0) {
    throw new ConfigError(
      `healthcheck must be followed by nothing, "serve" or "engine", got ${JSON.stringify(role)}`,
    );
  }
  const { healthcheck } = await import("./healthcheck.ts");
  const problem = await healthcheck(readConfig(), role);
  if (problem !== null) complain(problem);
  return problem === null ? 0 : 1;
}

async function evaluation(args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return printHelp();
  const { parseEvalArguments, runEval } = await import("./eval.ts");
  const parsed = parseEvalArguments(args);
  const config = readConfig();
  return await runEval(parsed, config, {
    log: loggerOf(config),
    defaultDataDir: dataDir,
    print: (text) => print(`${text}\n`),
    progress: complain,
  });
}

async function reindex(args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return printHelp();
  takeNoArguments("reindex", args);
  const { runReindex } = await import("./reindex.ts");
  return await runReindex(readConfig(), { defaultDataDir: dataDir, print, complain });
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h");
}

function printHelp(): number {
  print(help());
  return 0;
}

function takeNoArguments(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new ConfigError(
    `${command} takes no arguments, got ${
      JSON.stringify(first)
    }: it is configured by environment variables, see "kb-mcp --help"`,
  );
}

function readConfig(): Config {
  return loadConfig({ env: (name) => Deno.env.get(name), readFile: (path) => Deno.readTextFileSync(path) });
}

function loggerOf(config: Config): Logger {
  const log = createLogger(config.KB_LOG_LEVEL);
  for (const name of unknownSettings(Object.keys(Deno.env.toObject()))) {
    log.warn("unknown setting, it has no effect: see kb-mcp --help", { name });
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

function complain(text: string): void {
  Deno.stderr.writeSync(encoder.encode(`kb-mcp: ${text.replaceAll("\n", "\nkb-mcp: ")}\n`));
}
