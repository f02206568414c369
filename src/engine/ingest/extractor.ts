import { ExtractError } from "../text/types.ts";
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

/**
 * Turns files into text and chunks, one at a time, on a thread that is started for the first file and ended when
 * there are no more. A thread that crashes or hangs is thrown away with the file that did it.
 */
export class Extractor implements Disposable {
  readonly #spawn: () => Worker;
  readonly #timeoutMs: number;
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #isReady = false;
  #isDisposed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #cancel: ((reason: Error) => void) | undefined;

  /**
   * @param spawn Starts the thread, which runs `serve` of extractor_host.ts.
   * @param options.timeoutMs How long one file may take.
   */
  constructor(spawn: () => Worker, { timeoutMs, idleMs = IDLE_MS }: { timeoutMs: number; idleMs?: number }) {
    this.#spawn = spawn;
    this.#timeoutMs = timeoutMs;
    this.#idleMs = idleMs;
  }

  /**
   * Runs one task; the one before must have ended.
   *
   * @throws {ExtractError} When the file cannot become a document, by its own fault or ours (`timeout`, `internal`).
   * @throws {DOMException} `AbortError` when the extractor is disposed of, before or meanwhile.
   */
  async run(task: ExtractTask, onProgress: OnProgress = () => {}): Promise<Extracted> {
    if (this.#isDisposed) throw closed();
    clearTimeout(this.#idle);
    const worker = this.#worker ??= this.#spawn();
    const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
    const abandon = (error: Error) => {
      this.#end();
      reject(error);
    };
    this.#cancel = abandon;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limitTo = (ms: number, error: () => ExtractError) => {
      clearTimeout(timer);
      timer = setTimeout(() => abandon(error()), ms);
      Deno.unrefTimer(timer);
    };
    const send = () => {
      limitTo(this.#timeoutMs, () => tookTooLong(this.#timeoutMs));
      worker.postMessage(task);
    };
    worker.onmessage = ({ data }: MessageEvent<ExtractorMessage>) => {
      if (data.kind === "ready") {
        this.#isReady = true;
        send();
      } else if (data.kind === "progress") onProgress(data.stage, data.progress);
      else if (data.kind === "done") resolve(data.extracted);
      else reject(new ExtractError(data.code, data.message, { cause: data.cause }));
    };
    worker.onerror = (event) => {
      // Otherwise the error goes on to this thread and ends the process.
      event.preventDefault();
      abandon(crashed(event.message));
    };
    worker.onmessageerror = () => abandon(crashed("an answer that cannot be read"));
    if (this.#isReady) send();
    else limitTo(START_MS, () => crashed("the thread did not start"));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#cancel = undefined;
      if (this.#worker) {
        const idle = setTimeout(() => this.#end(), this.#idleMs);
        Deno.unrefTimer(idle);
        this.#idle = idle;
      }
    }
  }

  /** Ends the thread, whatever it is doing. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancel?.(closed());
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isReady = false;
  }
}

function closed(): DOMException {
  return new DOMException("The extractor was closed", "AbortError");
}

function tookTooLong(ms: number): ExtractError {
  const seconds = Math.round(ms / 100) / 10;
  return new ExtractError(
    "timeout",
    `Reading the file took longer than ${seconds} s: split it, or raise KB_EXTRACT_TIMEOUT`,
  );
}

function crashed(cause: string): ExtractError {
  return new ExtractError(
    "internal",
    "Reading the file crashed: it is damaged, or needs more memory than there is",
    {
      cause,
    },
  );
}
