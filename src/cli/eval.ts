import { parseArgs } from "node:util";
import { type EngineClient, EngineError } from "../client/mod.ts";
import { type Config, ConfigError } from "../config/mod.ts";
import { SEARCH_MODES, type SearchRequest } from "../contract/mod.ts";
import {
  type Baseline,
  compare,
  EvalError,
  type EvalSet,
  evaluate,
  type Evaluation,
  parseBaseline,
  readSet,
  table,
  toJson,
  updated,
  worstQueries,
} from "../evaluation/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { connectEngine } from "./connect_engine.ts";

/** The arguments of `kb-mcp eval`. */
export interface EvalArguments {
  /** Folders of queries.jsonl, qrels.tsv and perhaps docs.jsonl. */
  readonly folders: readonly string[];
  /** Unset: as the engine does when it is not told. */
  readonly mode: SearchRequest["mode"];
  /** File to write everything to, as JSON. */
  readonly json: string | undefined;
  /** File of scores that were reached, to compare with. */
  readonly baseline: string | undefined;
  /** Whether the scores are written to the baseline's file instead. */
  readonly update: boolean;
  /** Whether to show the worst queries. */
  readonly verbose: boolean;
}

/** What `kb-mcp eval` is given beside its arguments. */
export interface EvalSurroundings {
  readonly log: Logger;
  readonly defaultDataDir: () => string;
  /** Writes a line of the result. */
  readonly print: (text: string) => void;
  /** Writes a line that says how far it is. */
  readonly progress: (text: string) => void;
}

/** @throws {ConfigError} When the arguments cannot be used. */
export function parseEvalArguments(args: readonly string[]): EvalArguments {
  const { values, positionals } = parse(args);
  const mode = SEARCH_MODES.find((each) => each === values.mode);
  if (values.mode !== undefined && mode === undefined) {
    throw new ConfigError(
      `--mode must be one of ${SEARCH_MODES.join(", ")}, got ${JSON.stringify(values.mode)}`,
    );
  }
  if (values.update && values.baseline === undefined) {
    throw new ConfigError("--update must come with --baseline FILE, the file to write");
  }
  const { json, baseline, update = false, verbose = false } = values;
  return { folders: positionals, mode, json, baseline, update, verbose };
}

/**
 * Evaluates folders one after the other and prints a table.
 *
 * A folder's own documents are searched in an engine of its own, over a directory that is removed afterwards; judgements without
 * documents measure the knowledge base of the configuration. Both with its settings for embeddings.
 *
 * @returns The exit status: 1 when a metric has fallen below the baseline.
 * @throws {ConfigError} When a folder or the engine cannot be used.
 */
export async function runEval(
  { folders, mode, json, baseline, update, verbose }: EvalArguments,
  config: Config,
  surroundings: EvalSurroundings,
): Promise<number> {
  const { print, progress } = surroundings;
  if (folders.length === 0) {
    throw new ConfigError(
      "eval must be followed by a folder with queries.jsonl and qrels.tsv, and docs.jsonl unless your knowledge base is to be measured",
    );
  }
  try {
    const reached = baseline === undefined ? undefined : await readBaseline(baseline, update);
    const evaluations: Evaluation[] = [];
    for (const folder of folders) {
      const set = await readSet(folder);
      await using engine = await engineFor(set, config, surroundings);
      evaluations.push(
        await evaluate(set, { client: engine.client, ...(mode && { mode }), onProgress: progress }),
      );
    }
    print(table(evaluations));
    if (verbose) { for (const evaluation of evaluations) print(`\n${worstQueries(evaluation)}`); }
    if (json !== undefined) await write(json, toJson(evaluations));
    if (baseline === undefined || reached === undefined) return 0;
    if (update) {
      await write(baseline, JSON.stringify(updated(reached, evaluations), null, 2) + "\n");
      return 0;
    }
    const { text, fell } = compare(evaluations, reached);
    print(`\n${text}`);
    return fell ? 1 : 0;
  } catch (error) {
    if (error instanceof EvalError || error instanceof EngineError) {
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
    throw new ConfigError(
      `eval takes folders, --mode MODE, --json FILE, --baseline FILE, --update and --verbose. ${
        (cause as Error).message
      }`,
      { cause },
    );
  }
}

/** The engine that a set is searched in. */
async function engineFor(
  { documents }: EvalSet,
  config: Config,
  surroundings: EvalSurroundings,
): Promise<{ client: EngineClient } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  let used = config;
  if (documents) {
    const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-eval-" });
    stack.defer(() => Deno.remove(dataDir, { recursive: true }));
    used = { ...config, KB_ENGINE_URL: undefined, KB_DATA_DIR: dataDir };
  }
  const { client, engine } = await connectEngine(used, surroundings);
  if (engine) stack.use(engine);
  const parts = stack.move();
  return { client, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function readBaseline(path: string, mayBeMissing: boolean): Promise<Baseline> {
  try {
    return parseBaseline(await Deno.readTextFile(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    if (mayBeMissing) return {};
    throw new EvalError(`--baseline must name a file that is there, got ${path}: --update writes it`, {
      cause: error,
    });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text);
  } catch (cause) {
    throw new EvalError(`${path} must be a file that can be written`, { cause });
  }
}
