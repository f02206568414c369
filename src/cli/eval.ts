import { parseArgs } from "node:util";
import { type EngineClient, EngineError } from "../client/mod.ts";
import { type Config, ConfigError } from "../config/mod.ts";
import { SEARCH_MODES } from "../contract/mod.ts";
import {
  type Baseline,
  compareModes,
  compareToBaseline,
  evaluate,
  type Evaluation,
  EvaluationError,
  formatComparisons,
  formatJson,
  formatLanguages,
  formatTable,
  formatWorstQueries,
  parseBaseline,
  readTestCollection,
  type TestCollection,
  updateBaseline,
} from "../evaluation/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { connectEngine } from "./connect_engine.ts";

/** The arguments of `kb-mcp eval`. */
export interface EvalArguments {
  /** Folders with queries.jsonl, qrels.tsv and, optionally, docs.jsonl. */
  readonly folders: readonly string[];
  /** Search modes; undefined: all that the engine has. */
  readonly modes: readonly (typeof SEARCH_MODES[number])[] | undefined;
  /** File for all results as JSON. */
  readonly json: string | undefined;
  /** File with earlier scores to compare with. */
  readonly baseline: string | undefined;
  /** Whether to write the scores to the baseline file instead of comparing. */
  readonly update: boolean;
  /** Whether to list the queries with the lowest scores. */
  readonly verbose: boolean;
}

/** Options of {@linkcode runEval}. */
export interface EvalOptions {
  readonly log: Logger;
  readonly defaultDataDir: () => string;
  /** Returns the data directory with the installed embedding models when `KB_DATA_DIR` is unset. */
  readonly modelDataDir?: () => string;
  /** Writes a line of the results. */
  readonly print: (text: string) => void;
  /** Writes a line of progress. */
  readonly progress: (text: string) => void;
}

/**
 * Parses the arguments of `kb-mcp eval`.
 *
 * @throws {ConfigError} When they are invalid.
 */
export function parseEvalArguments(args: readonly string[]): EvalArguments {
  const { values, positionals } = parse(args);
  const modes = values.mode === undefined ? undefined : parseModes(values.mode);
  if (values.update && values.baseline === undefined) {
    throw new ConfigError("--update must be used with --baseline FILE, the file to write");
  }
  const { json, baseline, update = false, verbose = false } = values;
  return { folders: positionals, modes, json, baseline, update, verbose };
}

function parseModes(text: string): EvalArguments["modes"] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  return [...names].map((name) => {
    const mode = SEARCH_MODES.find((each) => each === name);
    if (mode) return mode;
    throw new ConfigError(
      `--mode must be one or more of ${SEARCH_MODES.join(", ")}, separated by commas, got ${
        JSON.stringify(text)
      }`,
    );
  });
}

/**
 * Implements `kb-mcp eval`: evaluates test collections one after the other and prints a table with a row per search
 * mode, recall by language, and paired comparisons of the modes.
 *
 * A collection with documents gets its own engine over a temporary directory; one without evaluates the
 * configured knowledge base. Both use the configured embedding model.
 *
 * @returns The exit status: 0; 1 when a metric is below the baseline or its minimum.
 * @throws {ConfigError} When a folder or the engine cannot be used.
 */
export async function runEval(
  { folders, modes, json, baseline, update, verbose }: EvalArguments,
  config: Config,
  options: EvalOptions,
): Promise<number> {
  const { print, progress } = options;
  if (folders.length === 0) {
    throw new ConfigError(
      "eval needs a folder with queries.jsonl and qrels.tsv, and docs.jsonl unless you evaluate your knowledge base",
    );
  }
  try {
    const earlier = baseline === undefined ? undefined : await readBaseline(baseline, update);
    const evaluations: Evaluation[] = [];
    for (const folder of folders) {
      const collection = await readTestCollection(folder);
      await using engine = await engineFor(collection, config, options);
      evaluations.push(
        ...await evaluate(collection, {
          client: engine.client,
          ...(modes && { modes }),
          onProgress: progress,
        }),
      );
    }
    const comparisons = compareModes(evaluations);
    const sections = [formatTable(evaluations), formatLanguages(evaluations), formatComparisons(comparisons)];
    print(sections.filter((section) => section !== "").join("\n\n"));
    if (verbose) { for (const evaluation of evaluations) print(`\n${formatWorstQueries(evaluation)}`); }
    if (json !== undefined) await write(json, formatJson(evaluations, comparisons));
    if (baseline === undefined || earlier === undefined) return 0;
    if (update) {
      await write(baseline, JSON.stringify(updateBaseline(earlier, evaluations), null, 2) + "\n");
      return 0;
    }
    const { text, hasDropped, differences } = compareToBaseline(evaluations, earlier);
    print(`\n${text}`);
    if (differences.length > 0) print(`\n${formatComparisons(differences)}`);
    return hasDropped ? 1 : 0;
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof EngineError) {
      throw new ConfigError(error.message, { cause: error });
    }
    throw error;
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        mode: { type: "string" },
        json: { type: "string" },
        baseline: { type: "string" },
        update: { type: "boolean" },
        verbose: { type: "boolean" },
      },
    });
  } catch (cause) {
    // The rest of Node's message is about arguments that start with "-".
    const [problem] = (cause as Error).message.split(". ");
    throw new ConfigError(
      `eval takes folders, --mode MODES, --json FILE, --baseline FILE, --update and --verbose: ${problem}`,
      { cause },
    );
  }
}

/** Connects to the engine to evaluate. */
async function engineFor(
  { documents }: TestCollection,
  config: Config,
  options: EvalOptions,
): Promise<{ client: EngineClient } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  let engineConfig = config;
  if (documents) {
    const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-eval-" });
    stack.defer(() => Deno.remove(dataDir, { recursive: true }));
    engineConfig = { ...config, KB_ENGINE_URL: undefined, KB_DATA_DIR: dataDir };
  }
  const { client, engine } = await connectEngine(engineConfig, {
    ...options,
    modelDataDir: config.KB_DATA_DIR ?? options.modelDataDir?.(),
  });
  if (engine) stack.use(engine);
  const resources = stack.move();
  return { client, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function readBaseline(path: string, mayBeMissing: boolean): Promise<Baseline> {
  try {
    return parseBaseline(await Deno.readTextFile(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    if (mayBeMissing) return {};
    throw new EvaluationError(`--baseline must name an existing file, got ${path}: --update creates it`, {
      cause: error,
    });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text);
  } catch (cause) {
    throw new EvaluationError(`${path} must be a writable file`, { cause });
  }
}
