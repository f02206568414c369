/**
 * `deno task eval [DIR…]`: measures search on test collections and compares with the committed baseline. Takes what
 * `kb-mcp eval` takes; without a folder, those of `../shared/data/ir`.
 *
 * @module
 */
import { parseEvalArguments, runEval } from "../src/cli/eval.ts";
import { ConfigError, loadConfig } from "../src/config.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { print } from "./print.ts";

const COLLECTIONS = "../shared/data/ir";
const BASELINE = "tests/evaluation/baseline.json";

async function foldersOf(path: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(path));
    return entries.filter((entry) => entry.isDirectory).map((entry) => `${path}/${entry.name}`).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Writes a line to standard error, so that the table can be piped. */
function progress(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

try {
  // A second --baseline wins over this one.
  const given = parseEvalArguments(["--baseline", BASELINE, ...Deno.args]);
  const folders = given.folders.length > 0 ? given.folders : await foldersOf(COLLECTIONS);
  const config = loadConfig({ env: (name) => Deno.env.get(name), readFile: Deno.readTextFileSync });
  const defaultDataDir = () => {
    throw new ConfigError("KB_DATA_DIR must be set to measure a knowledge base of yours");
  };
  Deno.exitCode = await runEval({ ...given, folders }, config, {
    log: createLogger("warn"),
    defaultDataDir,
    print,
    progress,
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  progress(error.message);
  Deno.exitCode = 64;
}
