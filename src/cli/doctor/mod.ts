/**
 * `kb-mcp doctor`: checks the machine with the settings of `kb-mcp serve`.
 *
 * @module
 */
import { type Config, ConfigError } from "../../config/mod.ts";
import type { CommandContext } from "../context.ts";
import { formatJson } from "../format.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { checkClock, checkDataDir, checkDisk } from "./check_disk.ts";
import { checkKeys } from "./check_keys.ts";
import { checkEngine, checkModel, checkPort } from "./check_services.ts";

export type { Check };

/** Texts before the messages, by state. */
const LABELS = { ok: "ok   ", warn: "warn ", fail: "FAIL " } as const;

/**
 * Implements `kb-mcp doctor`: prints a line per check, with the fix.
 *
 * @returns The exit status: 0; 1 when a check failed.
 */
export async function runDoctor(context: CommandContext, { json }: { json: boolean }): Promise<number> {
  const checks: Check[] = [];
  for await (const check of run(context)) {
    checks.push(check);
    if (!json) context.print(format(check));
  }
  const isHealthy = checks.every(({ state }) => state !== "fail");
  if (json) context.print(formatJson({ healthy: isHealthy, checks }));
  return isHealthy ? 0 : 1;
}

async function* run(context: CommandContext): AsyncGenerator<Check> {
  let config: Config;
  let dataDir: string;
  try {
    config = await context.config();
    dataDir = config.KB_ENGINE_URL === undefined ? await context.dataDir() : "";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The other checks need them.
    return yield fail("settings", error.message, 'correct the setting; "kb-mcp config" shows all');
  }
  yield* checkSettings(context);
  if (config.KB_ENGINE_URL === undefined) {
    yield checkDataDir(dataDir);
    yield* checkDisk(dataDir);
    yield* checkClock(dataDir);
  }
  if (config.KB_MCP_KEYS !== undefined) yield await checkKeys(config.KB_MCP_KEYS);
  yield await checkPort(config);
  yield await checkEngine(config, dataDir);
  if (config.KB_ENGINE_URL === undefined) yield await checkModel(config, dataDir);
}

async function* checkSettings(context: CommandContext): AsyncGenerator<Check> {
  const warnings = await context.warnings();
  for (const { name, message } of warnings) {
    // Messages about keys end with the fix, such as a command.
    const [problem = "", fix = "correct or remove the setting"] = message.split(/: (?=run |use )/);
    yield warn("settings", `${name}: ${problem}`, fix);
  }
  if (warnings.length > 0) return;
  const { file } = await context.configSource();
  yield ok("settings", file ? `valid, with ${file.path}` : "valid, without a configuration file");
}

function format({ name, state, message, fix }: Check): string {
  const lines = message.split("\n").join(`\n${" ".repeat(LABELS.ok.length + 16)}`);
  return `${LABELS[state]}${name.padEnd(16)}${lines}\n${
    fix === undefined ? "" : `${" ".repeat(LABELS.ok.length + 16)}Fix: ${fix}\n`
  }`;
}
