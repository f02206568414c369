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
import { connect } from "./connection.ts";

/** The options of `kb-mcp eval`. */
export interface EvalOptions {
  /** Search modes; undefined: all that the engine has. */
  readonly mode?: readonly (typeof SEARCH_MODES[number])[] | undefined;
  /** File for all results as JSON; `-` or true: standard output, instead of the tables. */
  readonly json?: string | true;
  /** File with earlier scores to compare with. */
  readonly baseline?: string;
  /** Whether to write the scores to the baseline file instead of comparing. */
  readonly update?: boolean;
  /** Whether to list the queries with the lowest scores. */
  readonly verbose?: boolean;
}

/** The part of the process that {@linkcode runEval} uses. */
export interface EvalContext {
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
  folders: readonly string[],
  { mode: modes, json, baseline, update = false, verbose = false }: EvalOptions,
  config: Config,
  context: EvalContext,
): Promise<number> {
  const { progress } = context;
  const isJson = json === true || json === "-";
  const print = isJson ? progress : context.print;
  if (update && baseline === undefined) {
    throw new ConfigError("--update must be used with --baseline FILE, the file to write");
  }
  try {
    const earlier = baseline === undefined ? undefined : await readBaseline(baseline, update);
    const evaluations: Evaluation[] = [];
    for (const folder of folders) {
      const collection = await readTestCollection(folder);
      await using engine = await engineFor(collection, config, context);
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
    if (isJson) context.print(formatJson(evaluations, comparisons).trimEnd());
    else {
      print(sections.filter((section) => section !== "").join("\n\n"));
      if (verbose) { for (const evaluation of evaluations) print(`\n${formatWorstQueries(evaluation)}`); }
      if (json !== undefined) await write(json, formatJson(evaluations, comparisons));
    }
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

/** Connects to the engine to evaluate: the one that other commands use, or an empty one for documents. */
async function engineFor(
  { documents }: TestCollection,
  config: Config,
  context: EvalContext,
): Promise<{ client: EngineClient } & AsyncDisposable> {
  if (!documents) return await connect(config, { ...context, createsData: false });
  await using stack = new AsyncDisposableStack();
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-eval-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  const engineConfig = { ...config, KB_ENGINE_URL: undefined, KB_DATA_DIR: dataDir };
  const { client, engine } = await connectEngine(engineConfig, {
    ...context,
    modelDataDir: config.KB_DATA_DIR ?? context.modelDataDir?.(),
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
