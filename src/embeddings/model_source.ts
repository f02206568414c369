import { delay } from "../async/mod.ts";
import { ModelFileError } from "../encoder/mod.ts";
import { EmbeddingError } from "./errors.ts";
import { readModelInfo } from "./model_info.ts";
import type { BuiltinModelOptions, BuiltinModelSettings } from "./options.ts";

/** Interval between checks for a missing file, in milliseconds. */
const CHECK_MS = 2000;
/** Delay after a failed download in milliseconds; it doubles with each further one, up to the maximum. */
const FIRST_DOWNLOAD_DELAY_MS = 60_000;
const MAX_DOWNLOAD_DELAY_MS = 3_600_000;

/** Access to the files of one model. */
export interface ModelFiles {
  /** Name of the model. */
  readonly name: string;
  /** Returns the path of the file, or undefined if there is none. */
  locate(): Promise<string | undefined>;
  /**
   * Downloads the file, unless that is forbidden.
   *
   * @throws An error whose message says what helps.
   */
  download(signal: AbortSignal): Promise<void>;
}

/** Settings of a {@linkcode ModelSource}. */
export interface ModelSourceOptions {
  readonly settings: BuiltinModelSettings;
  readonly files: ModelFiles;
  /** Called when a download or a file fails in another way than before. */
  readonly onProblem?: (error: unknown) => void;
  /** Waits until the time is over or the signal aborts. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Finds the file of the configured model. A missing one is downloaded, or used once it is installed. */
export class ModelSource {
  readonly #options: ModelSourceOptions;
  #state: "missing" | "downloading" = "missing";
  #problem: string | undefined;

  constructor(options: ModelSourceOptions) {
    this.#options = options;
  }

  /** Name of the model. */
  get name(): string {
    return this.#options.files.name;
  }

  /** Why there is no model, and what helps. */
  get problem(): string {
    if (this.#state === "downloading") return `The embedding model ${this.name} is being downloaded`;
    return this.#problem ??
      `The embedding model ${this.name} is not installed: run kb-mcp model install ${this.name}`;
  }

  /** Returns the model if its file is there. */
  async find(): Promise<BuiltinModelOptions | undefined> {
    const { files, settings } = this.#options;
    try {
      const path = await files.locate();
      return path === undefined ? undefined : { ...settings, ...await readModelInfo(path) };
    } catch (error) {
      this.#report(this.#unreadable(error));
      return undefined;
    }
  }

  /**
   * Resolves with the model once its file is there, and downloads it meanwhile. A failed download is repeated
   * with exponential backoff.
   *
   * @returns Undefined if the signal aborts.
   */
  async wait(signal: AbortSignal): Promise<BuiltinModelOptions | undefined> {
    const wait = this.#options.delay ?? delay;
    let downloadDelayMs = FIRST_DOWNLOAD_DELAY_MS;
    let downloadInMs = 0;
    while (!signal.aborted) {
      if (downloadInMs <= 0) {
        const model = await this.find() ?? await this.download(signal);
        if (model) return model;
        downloadInMs = downloadDelayMs;
        downloadDelayMs = Math.min(2 * downloadDelayMs, MAX_DOWNLOAD_DELAY_MS);
      }
      const model = await this.find();
      if (model) return model;
      await wait(CHECK_MS, signal);
      downloadInMs -= CHECK_MS;
    }
    return undefined;
  }

  /**
   * Downloads the file, in one attempt.
   *
   * @returns Undefined after a failure; see {@linkcode ModelSource.problem}.
   */
  async download(signal: AbortSignal): Promise<BuiltinModelOptions | undefined> {
    this.#state = "downloading";
    try {
      await this.#options.files.download(signal);
      return await this.find();
    } catch (error) {
      if (!signal.aborted) this.#report(isSystemError(error) ? this.#unreadable(error) : error);
      return undefined;
    } finally {
      this.#state = "missing";
    }
  }

  /** The path, which agents must not see, is only in the cause, which is logged. */
  #unreadable(cause: unknown): Error {
    const reason = cause instanceof ModelFileError ? cause.message : "its file cannot be read";
    return new EmbeddingError(
      "misconfigured",
      `The embedding model ${this.name} cannot be loaded (${reason}): run kb-mcp model install ${this.name}`,
      { cause },
    );
  }

  #report(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem?.(error);
  }
}

/** Whether an error is of the operating system, whose messages contain paths. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^E[A-Z]+$/.test(String(error.code));
}
