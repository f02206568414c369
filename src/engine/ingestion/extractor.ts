import type { Worker } from "node:worker_threads";
import { ExtractionError } from "../../extraction/mod.ts";
import type { Extracted, ExtractorMessage, ExtractTask } from "./extractor_host.ts";

/**
 * How long the thread is kept after its last file, in milliseconds. Starting one takes some 50 ms and loading the
 * parsers more, which matters within a batch of files; the memory that they hold (tens of MiB) matters after it.
 */
const IDLE_MS = 30_000;
/** How long the thread itself may take to start, in milliseconds; that is no fault of the file's. */
const START_MS = 60_000;

/** Called when a task gets further. */
export type OnProgress = (stage: string, progress: number) => void;

/** Settings of {@linkcode Extractor}. */
export interface ExtractorOptions {
  /** How long one file may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long the thread is kept after its last file, in milliseconds. Default: 30 s. */
  readonly idleMs?: number;
}

/** The file in progress. */
interface Run extends PromiseWithResolvers<Extracted> {
  readonly task: ExtractTask;
  readonly onProgress: OnProgress;
}

/**
 * Turns files into text and chunks, one at a time, on a thread that is started for the first file and ended when
 * there are no more. A thread that crashes or hangs is thrown away with the file that did it.
 */
export class Extractor implements AsyncDisposable {
  readonly #spawn: () => Promise<Worker>;
  readonly #options: ExtractorOptions;
  #worker: Worker | undefined;
  #isReady = false;
  #run: Run | undefined;
  /** Ends the thread: because it is idle, or because its file takes too long. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;
  #ending: Promise<unknown> = Promise.resolve();

  /** @param spawn Starts the thread, which runs `serve` of extractor_host.ts. */
  constructor(spawn: () => Promise<Worker>, options: ExtractorOptions) {
    this.#spawn = spawn;
    this.#options = options;
  }

  /**
   * Runs one task; the one before must have ended.
   *
   * @throws {ExtractionError} When the file cannot become a document, by its own fault or ours (`timeout`, `internal`).
   * @throws {DOMException} `AbortError` when the extractor is disposed of, before or meanwhile.
   */
  async run(task: ExtractTask, onProgress: OnProgress = () => {}): Promise<Extracted> {
    if (!this.#worker && !this.#isDisposed) this.#watch(await this.#spawn());
    if (this.#isDisposed) {
      this.#end();
      throw closed();
    }
    this.#run = { task, onProgress, ...Promise.withResolvers() };
    if (this.#isReady) this.#send(task);
    else this.#after(START_MS, () => this.#abandon(crashed("the thread did not start")));
    try {
      return await this.#run.promise;
    } finally {
      this.#run = undefined;
      if (this.#worker) this.#after(this.#options.idleMs ?? IDLE_MS, () => this.#end());
    }
  }

  /** Ends the thread, whatever it is doing. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#abandon(closed());
    await this.#ending;
  }

  #watch(worker: Worker): void {
    this.#worker = worker;
    worker.on("message", (message: ExtractorMessage) => {
      if (worker === this.#worker) this.#receive(message);
    });
    // "exit" comes after every other end; after an end of our own making this worker is no longer the one.
    const onEnd = (cause: unknown) => {
      if (worker === this.#worker) this.#abandon(crashed(cause));
    };
    worker.on("error", onEnd);
    worker.on("messageerror", onEnd);
    worker.on("exit", (status) => onEnd(`exit ${status}`));
  }

  #receive(message: ExtractorMessage): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      if (this.#run) this.#send(this.#run.task);
    } else if (message.kind === "progress") this.#run?.onProgress(message.stage, message.progress);
    else if (message.kind === "done") this.#run?.resolve(message.extracted);
    else {this.#run?.reject(
        new ExtractionError(message.code, message.message, { cause: asError(message.cause) }),
      );}
  }

  #send(task: ExtractTask): void {
    const { timeoutMs } = this.#options;
    this.#after(timeoutMs, () => this.#abandon(tookTooLong(timeoutMs)));
    this.#worker?.postMessage(task);
  }

  /** Gives up the file in progress, if there is one, and its thread. */
  #abandon(error: Error): void {
    this.#end();
    this.#run?.reject(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    // First, because "exit" may be emitted before `terminate` returns.
    this.#worker = undefined;
    this.#isReady = false;
    if (worker) this.#ending = worker.terminate();
  }

  #after(ms: number, action: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, ms);
    Deno.unrefTimer(this.#timer);
  }
}

function closed(): DOMException {
  return new DOMException("The extractor was closed", "AbortError");
}

function tookTooLong(ms: number): ExtractionError {
  const seconds = Math.round(ms / 100) / 10;
  return new ExtractionError(
    "timeout",
    `Reading the file took longer than ${seconds} s: split it, or raise KB_EXTRACT_TIMEOUT`,
  );
}

function crashed(cause: unknown): ExtractionError {
  return new ExtractionError(
    "internal",
    "Reading the file crashed: it is damaged, or needs more memory than there is",
    { cause: asError(cause) },
  );
}

function asError(cause: unknown): Error | undefined {
  return cause === undefined || cause instanceof Error ? cause : new Error(String(cause));
}
