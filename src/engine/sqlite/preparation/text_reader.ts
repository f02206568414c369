import { RemoteError, ThreadClient, ThreadError, type ThreadPort } from "../../../async/mod.ts";
import type { TextDocument, TextFile } from "../../knowledge_base/mod.ts";

/** Time without a file after which the thread ends, in milliseconds. */
const IDLE_MS = 10_000;
/** Default of {@linkcode TextReaderOptions.timeoutMs}. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** Maximum number of files that wait for the thread. */
const MAX_PENDING = 64;

type ReaderThread = ThreadClient<TextFile, TextDocument | undefined>;

/** Options of {@linkcode TextReader}. */
export interface TextReaderOptions {
  /** Starts a thread that runs `serve` of thread.ts. */
  readonly spawn: () => ThreadPort;
  /** Called when a file made the reader fail: from then on, the extraction process reads all files. */
  readonly onFailure: (error: unknown) => void;
  /**
   * Timeout for the start of the thread, for one file with those before it, and for one response, in milliseconds. A
   * file takes a few. @default {60_000}
   */
  readonly timeoutMs?: number;
}

/** Reads small text files in a thread, which runs only while there are files. */
export class TextReader implements AsyncDisposable {
  readonly #options: TextReaderOptions;
  #thread: ReaderThread | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #hangTimer: ReturnType<typeof setTimeout> | undefined;
  #isUsable = true;

  constructor(options: TextReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads a file.
   *
   * @returns Undefined if the extraction process has to read it: it is no small text, cannot be read, or too many files
   * wait.
   */
  async read(file: TextFile): Promise<TextDocument | undefined> {
    if (!this.#isUsable) return undefined;
    clearTimeout(this.#idleTimer);
    const { spawn } = this.#options;
    const thread = this.#thread ??= new ThreadClient({
      spawn,
      maxPending: MAX_PENDING,
      startTimeoutMs: this.#timeoutMs,
    });
    try {
      await thread.opened;
      const response = thread.request(file, { timeoutMs: this.#timeoutMs });
      if (this.#hangTimer === undefined) this.#expectResponse(thread);
      const document = await response;
      this.#expectResponse(thread);
      return document;
    } catch (error) {
      // The process reports why it cannot read the file.
      if (error instanceof RemoteError) this.#expectResponse(thread);
      else if (error instanceof ThreadError && error.code === "failed") this.#fail(error);
      return undefined;
    } finally {
      if (thread.pending === 0 && thread === this.#thread) this.#scheduleEnd(thread);
    }
  }

  /** Ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isUsable = false;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#hangTimer);
    await this.#thread?.terminate();
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Restarts the time for the next response, if one is due. Many slow files are no hang. */
  #expectResponse({ pending }: ReaderThread): void {
    clearTimeout(this.#hangTimer);
    this.#hangTimer = pending === 0 ? undefined : setTimeout(
      () => this.#fail(new ThreadError("timeout", `No response within ${this.#timeoutMs} ms`)),
      this.#timeoutMs,
    );
  }

  /** A thread that does not end by itself cannot be stopped: no other one may get the same file. */
  #fail(error: unknown): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#options.onFailure(error);
    void this.#thread?.terminate();
  }

  #scheduleEnd(thread: ReaderThread): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (thread.pending > 0) return;
      this.#thread = undefined;
      void thread.terminate();
    }, IDLE_MS);
    Deno.unrefTimer(this.#idleTimer);
  }
}
