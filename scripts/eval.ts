/**
 * `deno task eval [DIR…]`: measures search quality on test collections and compares it with the committed baseline.
 * Takes the arguments of `kb-mcp eval`. Without `--mode` it evaluates full-text and hybrid search. Without a folder it
 * evaluates the paraphrases of this repository and the collections in `KB_TEST_DATA/ir` that the baseline contains.
 *
 * @module
 */
import { Command } from "commander";
import { basename } from "node:path";
import { addEvalOptions } from "../src/cli/commands/eval.ts";
import { runEval } from "../src/cli/eval.ts";
import { type Config, ConfigError, loadConfig } from "../src/config/mod.ts";
import { parseBaseline } from "../src/evaluation/mod.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { print } from "./print.ts";
import { SKIPPED, testDataFolder } from "./test_data.ts";

const BASELINE = "tests/evaluation/baseline.json";
/** The collection of this repository. */
const PARAPHRASES = "tests/evaluation/paraphrases";

/** Folders of the baseline's collections; only the paraphrases when `KB_TEST_DATA` is unset. */
async function baselineFolders(): Promise<string[]> {
  const folder = testDataFolder();
  if (folder === undefined) {
    reportProgress(`${SKIPPED}: evaluating ${PARAPHRASES} only`);
    return [PARAPHRASES];
  }
  const names = Object.keys(parseBaseline(await Deno.readTextFile(BASELINE)));
  const others = names.filter((name) => name !== basename(PARAPHRASES)).sort();
  return [...others.map((name) => `${folder}/ir/${name}`), PARAPHRASES];
}

/** Writes progress to standard error, so that the table on standard output can be piped. */
function reportProgress(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

function readConfig(): Config {
  return loadConfig({ env: (name) => Deno.env.get(name), readFile: Deno.readTextFileSync });
}

async function main(): Promise<number> {
  // An explicit --baseline or --mode comes later and overrides these.
  const command = addEvalOptions(new Command("deno task eval").argument("[dir...]", "folders to evaluate"))
    .parse(["--baseline", BASELINE, "--mode", "fts,hybrid", ...Deno.args], { from: "user" });
  const folders = command.args.length > 0 ? command.args : await baselineFolders();
  return await runEval(folders, command.opts(), readConfig(), {
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
