/**
 * `deno task eval [DIR…]`: measures search quality on test collections and compares it with the committed baseline.
 * Takes the arguments of `kb-mcp eval`. Without a folder it evaluates the collections in `KB_TEST_DATA/ir` that the
 * baseline contains.
 *
 * @module
 */
import { parseEvalArguments, runEval } from "../src/cli/eval.ts";
import { type Config, ConfigError, loadConfig } from "../src/config/mod.ts";
import { parseBaseline } from "../src/evaluation/mod.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { print } from "./print.ts";
import { SKIPPED, testDataFolder } from "./test_data.ts";

const BASELINE = "tests/evaluation/baseline.json";

/** Folders of the baseline's collections below `KB_TEST_DATA`; undefined when it is unset. */
async function baselineFolders(): Promise<string[] | undefined> {
  const folder = testDataFolder();
  if (folder === undefined) return undefined;
  const baseline = parseBaseline(await Deno.readTextFile(BASELINE));
  return Object.keys(baseline).sort().map((name) => `${folder}/ir/${name}`);
}

/** Writes progress to standard error, so that the table on standard output can be piped. */
function reportProgress(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

function readConfig(): Config {
  return loadConfig({ env: (name) => Deno.env.get(name), readFile: Deno.readTextFileSync });
}

async function main(): Promise<number> {
  // An explicit --baseline comes later and overrides this one.
  const parsed = parseEvalArguments(["--baseline", BASELINE, ...Deno.args]);
  const folders = parsed.folders.length > 0 ? parsed.folders : await baselineFolders();
  if (folders === undefined) {
    print(`${SKIPPED}; it names a folder with test collections in ir/. Or name folders to evaluate`);
    return 0;
  }
  return await runEval({ ...parsed, folders }, readConfig(), {
    log: createLogger("warn"),
    defaultDataDir: () => {
      throw new ConfigError("KB_DATA_DIR must be set to evaluate your own knowledge base");
    },
    print,
    progress: reportProgress,
  });
}

try {
  Deno.exitCode = await main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  reportProgress(error.message);
  Deno.exitCode = 64;
}
