import { type Config, ConfigError } from "../config/mod.ts";
import { EmbeddingError, reindex } from "../engine/mod.ts";
import { formatJson } from "./format.ts";
import { dataDirFailure, embeddingSettings } from "./open_engine.ts";
import { StopSignal } from "./stop_signal.ts";

/** Interval of progress lines, in milliseconds. */
const PROGRESS_MS = 1000;

/** Options of {@linkcode runReindex}. */
export interface ReindexCommandOptions {
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes a message to standard error. */
  readonly printError: (text: string) => void;
  /** Whether to print JSON, and the progress as messages. @default {false} */
  readonly json?: boolean | undefined;
}

/** Progress of the command. */
interface Progress {
  /** Number of chunks processed by this run and earlier ones. */
  readonly done: number;
  readonly total: number;
}

/**
 * Implements `kb-mcp reindex`: embeds all chunks with the configured model.
 *
 * @returns The exit status: 0; 1 when the embedding model cannot be used; 128 + N when stopped by signal N.
 * @throws {ConfigError} When a setting cannot be used.
 */
export async function runReindex(config: Config, command: ReindexCommandOptions): Promise<number> {
  const { printError, json = false } = command;
  const print = (text: string) => json ? printError(text.trimEnd()) : command.print(text);
  if (config.KB_ENGINE_URL !== undefined) {
    throw new ConfigError(
      "reindex needs direct access to the data directory, but KB_ENGINE_URL names another engine: run reindex on that " +
        "engine's machine, with its KB_DATA_DIR and without KB_ENGINE_URL",
    );
  }
  const embeddings = embeddingSettings(config);
  if (!embeddings) {
    throw new ConfigError(
      "KB_EMBEDDINGS_MODEL must name an embedding model for reindex, got off: unset it to use the builtin one",
    );
  }
  const dataDir = config.KB_DATA_DIR ?? command.defaultDataDir();
  using stop = new StopSignal();
  using ticker = new Ticker(print);
  try {
    const { isDone, embedded, refused, total, dimensions, model } = await reindex({
      dataDir,
      embeddings,
      signal: stop.signal,
      onProgress: ({ embedded, refused, total }) => ticker.report({ done: embedded + refused, total }),
      onProblem: (problem) => {
        printError(
          problem === null ? "The embedding model works again" : `${problem}. Retrying; Ctrl-C stops`,
        );
      },
    });
    if (json) {
      const counts = { chunks: total, embedded, rejected: refused };
      command.print(formatJson({ complete: isDone, model, dimensions, ...counts }));
      return isDone ? 0 : stop.exitStatus;
    }
    if (!isDone) return reportStop(stop, `${embedded + refused} of ${total} chunks are embedded`, print);
    const rejected = refused === 0
      ? ""
      : `; the model rejected ${refused}, which only full-text search finds`;
    print(
      `Done: ${embedded} of ${total} chunks have vectors of ${model}` +
        (dimensions === null ? "" : ` (${dimensions} dimensions)`) + rejected + ".\n" +
        "An engine with these settings uses them from now on; an engine with other settings keeps its own vectors.\n",
    );
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return reportStop(stop, "nothing is lost", print);
    if (!(error instanceof EmbeddingError)) throw dataDirFailure(error);
    printError(`${error.message}\nThe vectors so far are kept: run kb-mcp reindex again to continue.`);
    return 1;
  }
}

function reportStop(stop: StopSignal, state: string, print: (text: string) => void): number {
  print(`Stopped: ${state}. Run kb-mcp reindex again to continue.\n`);
  return stop.exitStatus;
}

/**
 * Prints the first progress report immediately, then the latest one every second, even if it has not changed.
 */
class Ticker implements Disposable {
  readonly #print: (text: string) => void;
  readonly #startedAt = performance.now();
  #first: Progress | undefined;
  #last: Progress | undefined;
  /** Also keeps the process alive while it waits for an unreachable model. */
  readonly #timer = setInterval(() => this.#printProgress(), PROGRESS_MS);

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  report(progress: Progress): void {
    this.#last = progress;
    if (this.#first) return;
    this.#first = progress;
    this.#printProgress();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #printProgress(): void {
    if (!this.#first || !this.#last) return;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    this.#print(`${progressLine(this.#last, this.#last.done - this.#first.done, seconds)}\n`);
  }
}

/**
 * Formats a line of progress: `embedded 1200 of 5000 chunks (24 %), 350/s, about 11 s left`.
 *
 * @param recent Number of chunks processed in the last `seconds`.
 */
export function progressLine({ done, total }: Progress, recent: number, seconds: number): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const line = `embedded ${done} of ${total} chunks (${percent} %)`;
  if (recent <= 0) return line;
  const rate = recent / seconds;
  const remaining = Math.ceil((total - done) / rate);
  return `${line}, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s, about ${
    formatDuration(remaining)
  } left`;
}

function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
