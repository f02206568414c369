import { RemoteError, ThreadClient, ThreadError, type ThreadPort } from "../../async/mod.ts";
import { ExtractionError } from "../../extraction/mod.ts";
import type { Extracted, ExtractionProgress, ExtractTask } from "./extractor_thread.ts";

/**
 * Default of {@linkcode ExtractorOptions.idleMs}. Keeping the thread saves the start of the thread and its
 * parsers for the next file, but holds tens of MiB of memory.
 */
const DEFAULT_IDLE_MS = 30_000;
/** Timeout for starting the thread, in milliseconds. Does not count against a file. */
const START_TIMEOUT_MS = 60_000;

/** Called when a task reaches another stage. */
export type OnProgress = (stage: string, progress: number) => void;

/** Settings of {@linkcode Extractor}. */
export interface ExtractorOptions {
  /** Timeout for one file, in milliseconds. */
  readonly timeoutMs: number;
  /** Time that an idle thread is kept, in milliseconds. @default {30_000} */
  readonly idleMs?: number;
}

type ExtractorThread = ThreadClient<ExtractTask, Extracted, ExtractionProgress>;

/**
 * Extracts text and chunks from files, one at a time, on a thread that runs only while there are files. A
 * thread that crashes or exceeds the timeout is discarded, and fails only its file.
 */
export class Extractor implements AsyncDisposable {
  readonly #spawn: () => Promise<ThreadPort>;
  readonly #options: ExtractorOptions;
  #thread: ExtractorThread | undefined;
  #onProgress: OnProgress = () => {};
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  /** @param spawn Starts a thread that runs `serve` of extractor_thread.ts. */
  constructor(spawn: () => Promise<ThreadPort>, options: ExtractorOptions) {
    this.#spawn = spawn;
    this.#options = options;
  }

  /**
   * Extracts one file. The previous one must be done.
   *
   * @throws {ExtractionError} When the file cannot become a document; `timeout` and `internal` included.
   * @throws {DOMException} `AbortError` when the extractor is disposed.
   */
  async run(task: ExtractTask, onProgress: OnProgress = () => {}): Promise<Extracted> {
    if (this.#isDisposed) throw closedError();
    clearTimeout(this.#idleTimer);
    // A thread can also fail between two files.
    if (this.#thread?.state === "failed") this.#thread = undefined;
    const thread = this.#thread ??= this.#startThread();
    this.#onProgress = onProgress;
    const { timeoutMs, idleMs = DEFAULT_IDLE_MS } = this.#options;
    try {
      // The timeout begins when the thread is open.
      await thread.opened;
      return await thread.request(task, { timeoutMs });
    } catch (error) {
      // The thread may be stuck in the file.
      if (error instanceof ThreadError) this.#discard(thread);
      throw toExtractionError(error, timeoutMs);
    } finally {
      // After disposal nothing would clear the timer.
      if (!this.#isDisposed) {
        this.#idleTimer = setTimeout(() => this.#discard(thread), idleMs);
        Deno.unrefTimer(this.#idleTimer);
      }
    }
  }

  /** Ends the thread at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#idleTimer);
    await this.#thread?.terminate();
  }

  #startThread(): ExtractorThread {
    return new ThreadClient({
      spawn: this.#spawn,
      startTimeoutMs: START_TIMEOUT_MS,
      onNotice: ({ stage, progress }) => this.#onProgress(stage, progress),
    });
  }

  #discard(thread: ExtractorThread): void {
    if (thread === this.#thread && !this.#isDisposed) this.#thread = undefined;
    void thread.terminate();
  }
}

function toExtractionError(error: unknown, timeoutMs: number): Error {
  if (error instanceof RemoteError) {
    return new ExtractionError(error.code as ExtractionError["code"], error.message, { cause: error.cause });
  }
  if (error instanceof ThreadError && error.code === "closed") return closedError();
  if (error instanceof ThreadError && error.code === "timeout") {
    const seconds = Math.round(timeoutMs / 100) / 10;
    return new ExtractionError(
      "timeout",
      `Reading the file took longer than ${seconds} s: split it, or raise KB_EXTRACT_TIMEOUT`,
    );
  }
  return new ExtractionError(
    "internal",
    "Reading the file crashed: it is damaged, or needs too much memory",
    { cause: error instanceof ThreadError ? error.cause : error },
  );
}

function closedError(): DOMException {
  return new DOMException("The extractor was closed", "AbortError");
}
