import { type Config, ConfigError } from "../config/mod.ts";
import { DataDirError, EmbeddingError, reindex } from "../engine/mod.ts";
import { embeddingOptions } from "./open_engine.ts";

/** Time between two lines of progress, in milliseconds. */
const PROGRESS_MS = 1000;

/** What {@linkcode runReindex} does not take from the configuration. */
export interface ReindexCommand {
  /** Directory of the data when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes a message to standard error. */
  readonly complain: (text: string) => void;
}

/** How far the work is. */
interface Progress {
  /** Chunks that have been dealt with, in this run and before. */
  readonly done: number;
  readonly total: number;
}

/**
 * The command `kb-mcp reindex`: embeds all chunks anew, until done or stopped.
 *
 * @returns The exit status: 0; 1 when the embedding model cannot be used; 128 and the signal's number when stopped.
 * @throws {ConfigError} When a setting cannot be used.
 */
export async function runReindex(config: Config, command: ReindexCommand): Promise<number> {
  const { print, complain } = command;
  if (config.KB_ENGINE_URL !== undefined) {
    throw new ConfigError(
      "reindex works on the data itself, and KB_ENGINE_URL says that they are elsewhere: run it where that engine runs, " +
        "with its KB_DATA_DIR, and without KB_ENGINE_URL",
    );
  }
  const embeddings = embeddingOptions(config);
  if (!embeddings) {
    throw new ConfigError(
      "KB_EMBEDDINGS_URL and KB_EMBEDDINGS_MODEL must be set for reindex: they say what to embed with",
    );
  }
  const dataDir = config.KB_DATA_DIR ?? command.defaultDataDir();
  using stop = new StopSignal();
  using ticker = new Ticker(print);
  try {
    const { isDone, embedded, refused, total, dimensions } = await reindex({
      dataDir,
      embeddings,
      signal: stop.signal,
      onProgress: ({ embedded, refused, total }) => ticker.report({ done: embedded + refused, total }),
      onProblem: (problem) => {
        complain(problem === null ? "it works again" : `${problem}. It is tried again; Ctrl-C stops`);
      },
    });
    if (!isDone) return stopped(stop, `${embedded + refused} of ${total} chunks are embedded`, print);
    const refusals = refused === 0
      ? ""
      : `, the model refused ${refused}, which are found by their words only`;
    print(
      `Done: ${embedded} of ${total} chunks have vectors of ${embeddings.model}` +
        (dimensions === null ? "" : ` (${dimensions} dimensions)`) + refusals + ".\n" +
        "An engine with these settings uses them from now on; one that runs with others goes on with its old ones.\n",
    );
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return stopped(stop, "Nothing is lost", print);
    if (error instanceof DataDirError) throw new ConfigError(error.message, { cause: error });
    if (!(error instanceof EmbeddingError)) throw error;
    complain(`${error.message}\nWhat is embedded so far is kept: run kb-mcp reindex again, and it goes on.`);
    return 1;
  }
}

function stopped(stop: StopSignal, state: string, print: (text: string) => void): number {
  print(`Stopped: ${state}. Run kb-mcp reindex again, and it goes on.\n`);
  return stop.exitStatus;
}

/** Tells of progress: at once at the beginning, then once a second, also while nothing moves. */
class Ticker implements Disposable {
  readonly #print: (text: string) => void;
  readonly #startedAt = performance.now();
  #first: Progress | undefined;
  #last: Progress | undefined;
  /** Keeps the process alive, too, while it waits for a model that is away. */
  readonly #timer = setInterval(() => this.#tell(), PROGRESS_MS);

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  report(progress: Progress): void {
    this.#last = progress;
    if (this.#first) return;
    this.#first = progress;
    this.#tell();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    if (!this.#first || !this.#last) return;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    this.#print(`${progressLine(this.#last, this.#last.done - this.#first.done, seconds)}\n`);
  }
}

/**
 * A line of progress: `embedded 1200 of 5000 chunks (24 %), 350/s, about 11 s left`.
 *
 * @param fresh How many of those done were done in the last `seconds`.
 */
export function progressLine({ done, total }: Progress, fresh: number, seconds: number): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const line = `embedded ${done} of ${total} chunks (${percent} %)`;
  const rate = fresh / seconds;
  if (fresh <= 0) return line;
  const left = Math.ceil((total - done) / rate);
  return `${line}, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s, about ${duration(left)} left`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** Aborts when the process is told to stop. */
class StopSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: [Deno.Signal, () => void][] = [];
  /** As shells write it: 128 and the signal's number. */
  exitStatus = 0;

  constructor() {
    // Windows knows no SIGTERM.
    const signals: [Deno.Signal, number][] = Deno.build.os === "windows"
      ? [["SIGINT", 2], ["SIGBREAK", 21]]
      : [["SIGINT", 2], ["SIGTERM", 15]];
    for (const [signal, number] of signals) {
      const listener = () => {
        this.exitStatus ||= 128 + number;
        this.#controller.abort();
      };
      Deno.addSignalListener(signal, listener);
      this.#listeners.push([signal, listener]);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const [signal, listener] of this.#listeners) Deno.removeSignalListener(signal, listener);
  }
}
