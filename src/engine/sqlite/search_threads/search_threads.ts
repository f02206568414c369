import { CoarseTimers, RemoteError, ThreadError, type ThreadPort } from "../../../async/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { VectorSearch } from "../../search/mod.ts";
import type { ReadOperation, ReadOperations, Reads } from "./reads.ts";
import { DEFAULT_TIME_LIMIT_MS, timeLimitError } from "./read_limits.ts";
import { storageFault } from "../store/read_only.ts";
import { PendingRead, SearchThread } from "./search_thread.ts";

/** Default of {@linkcode SearchThreadsOptions.maxWaiting}. */
const DEFAULT_MAX_WAITING = 256;
/** Default of {@linkcode SearchThreadsOptions.idleMs}. */
const DEFAULT_IDLE_MS = 10_000;
/** Default of {@linkcode SearchThreadsOptions.growDelayMs}. */
const DEFAULT_GROW_DELAY_MS = 250;
/** Default of {@linkcode SearchThreadsOptions.longReadMs}. */
const DEFAULT_LONG_READ_MS = 100;
/** Interval of checks for another thread while reads wait, in milliseconds. */
const GROW_INTERVAL_MS = 25;
/** Maximum number of threads that a read may end by a failure. */
const MAX_FAILURES = 2;

/** Options of {@linkcode SearchThreads}. */
export interface SearchThreadsOptions {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Maximum number of threads. As many more may replace those that do not end a read in time. */
  readonly max: number;
  /** Starts a thread that runs `serve` of thread.ts. */
  readonly spawn: () => ThreadPort;
  /** Search by vectors. Unset: full text only. */
  readonly vectors?: VectorSearch | undefined;
  /** Maximum number of reads that wait for a thread. @default {256} */
  readonly maxWaiting?: number;
  /**
   * Maximum time for a read, in milliseconds, including the wait for a thread. One of more than two seconds ends up to a
   * second late. @default {10_000}
   */
  readonly timeLimitMs?: number;
  /**
   * Time for which reads must wait, without a break, until another thread is started, in milliseconds. Its first search
   * takes ten times the processor time of a later one, so that a short burst is over sooner without it.
   *
   * @default {250}
   */
  readonly growDelayMs?: number;
  /** Duration of a read behind which others do not wait for that time, in milliseconds. @default {100} */
  readonly longReadMs?: number;
  /** Time without a read after which a thread ends, in milliseconds. @default {10_000} */
  readonly idleMs?: number;
  /** Whether one thread stays when all are idle. @default {true} */
  readonly keepsOne?: boolean;
  /** Whether a thread prepares for searches when it starts. @default {true} */
  readonly warmsUp?: boolean;
}

/**
 * Runs reads in threads: the first one starts with the first read, and others when reads wait.
 *
 * A read goes to the thread with the fewest reads. If its thread fails, it runs once more in another one.
 */
export class SearchThreads implements Reads, AsyncDisposable {
  readonly #options: SearchThreadsOptions;
  readonly #threads: SearchThread[] = [];
  /** Reads without a thread, in order. */
  readonly #waiting = new Set<PendingRead>();
  readonly #timers = new CoarseTimers();
  #growTimer: ReturnType<typeof setTimeout> | undefined;
  /** Since when reads wait without a break, in the time of `performance.now()`. */
  #waitingSince: number | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closed: Promise<unknown> | undefined;

  constructor(options: SearchThreadsOptions) {
    this.#options = options;
  }

  /** Number of threads. */
  get size(): number {
    return this.#threads.length;
  }

  async run<Op extends ReadOperation>(
    operation: Op,
    input: ReadOperations[Op]["input"],
    signal?: AbortSignal,
  ): Promise<ReadOperations[Op]["output"]> {
    signal?.throwIfAborted();
    const { maxWaiting = DEFAULT_MAX_WAITING, timeLimitMs = DEFAULT_TIME_LIMIT_MS, vectors } = this.#options;
    if (this.#closed) throw new KnowledgeBaseError("internal", "The store is closed");
    if (this.#waiting.size >= maxWaiting) {
      throw new KnowledgeBaseError("busy", "Too many searches are in progress: try again in a moment");
    }
    const read = new PendingRead(operation, input, { hasVectors: vectors !== undefined });
    const end = (reason: unknown) => {
      this.#waiting.delete(read);
      read.end(reason);
    };
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    const stopTimer = this.#timers.start(() => end(timeLimitError(timeLimitMs)), timeLimitMs);
    this.#waiting.add(read);
    this.#dispatch();
    try {
      return await read.result.promise as ReadOperations[Op]["output"];
    } catch (error) {
      throw toKnowledgeBaseError(error);
    } finally {
      stopTimer();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Starts the first thread. */
  warmUp(): Promise<void> {
    if (this.#threads.length === 0 && !this.#closed) this.#start();
    return Promise.resolve();
  }

  /** Rejects all reads and ends the threads. */
  async close(): Promise<void> {
    await (this.#closed ??= this.#close());
  }

  /** Same as {@linkcode SearchThreads.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    clearTimeout(this.#growTimer);
    clearTimeout(this.#idleTimer);
    const error = new KnowledgeBaseError("internal", "The store was closed before the search was done");
    for (const read of this.#waiting) read.end(error);
    this.#waiting.clear();
    this.#timers[Symbol.dispose]();
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }

  /** Passes waiting reads to threads that are free. */
  #dispatch(): void {
    for (const read of this.#waiting) {
      const thread = this.#freeThread() ?? (this.#threads.length === 0 ? this.#start() : undefined);
      if (!thread) {
        for (const each of this.#threads) each.release();
        return this.#growLater();
      }
      this.#waiting.delete(read);
      void this.#runIn(thread, read);
    }
    this.#waitingSince = undefined;
  }

  async #runIn(thread: SearchThread, read: PendingRead): Promise<void> {
    const result = await thread.run(read);
    if (!result) return;
    // A read changes nothing, so that it can run again.
    if (++read.failures < MAX_FAILURES && !this.#closed && !read.hasEnded) {
      this.#waiting.add(read);
      this.#dispatch();
    } else read.result.reject(result.failure);
  }

  /** Returns the thread with the fewest reads of those that are free. */
  #freeThread(): SearchThread | undefined {
    let free: SearchThread | undefined;
    for (const thread of this.#threads) {
      if (thread.isFree && (!free || thread.size < free.size)) free = thread;
    }
    return free;
  }

  #start(): SearchThread {
    const { dataDir, spawn, vectors, warmsUp = true } = this.#options;
    const thread = new SearchThread({
      settings: { dataDir, warmsUp },
      spawn,
      vectors,
      onChange: (each) => this.#update(each),
    });
    this.#threads.push(thread);
    return thread;
  }

  #update(thread: SearchThread): void {
    if (this.#closed) return;
    if (!thread.isAlive) {
      const index = this.#threads.indexOf(thread);
      if (index >= 0) this.#threads.splice(index, 1);
    }
    this.#dispatch();
    this.#scheduleEnd();
  }

  /** Starts another thread if reads wait for long, or behind a long read. */
  #growLater(): void {
    this.#waitingSince ??= performance.now();
    this.#growTimer ??= setTimeout(() => {
      this.#growTimer = undefined;
      if (this.#waiting.size > 0 && this.#waitsLong()) {
        const { max } = this.#options;
        const overdue = this.#threads.filter(({ isOverdue }) => isOverdue).length;
        if (this.#threads.length < max + Math.min(overdue, max)) this.#start();
        this.#waitingSince = undefined;
      }
      this.#dispatch();
    }, GROW_INTERVAL_MS);
  }

  #waitsLong(): boolean {
    const { growDelayMs = DEFAULT_GROW_DELAY_MS, longReadMs = DEFAULT_LONG_READ_MS } = this.#options;
    return performance.now() - (this.#waitingSince ?? Infinity) >= growDelayMs ||
      this.#threads.some(({ busyMs }) => busyMs >= longReadMs);
  }

  /** Ends threads that have been idle for a while. */
  #scheduleEnd(): void {
    const { idleMs = DEFAULT_IDLE_MS, keepsOne = true } = this.#options;
    if (this.#idleTimer !== undefined || this.#threads.length <= (keepsOne ? 1 : 0)) return;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      const idle = this.#threads.filter((thread) => thread.idleMs >= idleMs);
      const kept = keepsOne && idle.length === this.#threads.length ? 1 : 0;
      for (const thread of idle.slice(kept)) {
        this.#threads.splice(this.#threads.indexOf(thread), 1);
        void thread.close();
      }
      this.#scheduleEnd();
    }, idleMs);
    Deno.unrefTimer(this.#idleTimer);
  }
}

/** Converts the error of a thread, except for one of the storage, which the caller recognizes by its message. */
function toKnowledgeBaseError(error: unknown): unknown {
  if (error instanceof RemoteError && error.code === "invalid") {
    return new KnowledgeBaseError("invalid", error.message, { details: error.details });
  }
  // The thread could not open the database. Unless the data is damaged, it lacked memory or file descriptors.
  if (error instanceof ThreadError && error.cause instanceof RemoteError && !storageFault(error)) {
    return new KnowledgeBaseError(
      "busy",
      "The engine cannot open its database for this search: try again in a moment",
      { cause: error },
    );
  }
  if (error instanceof ThreadError) {
    return new KnowledgeBaseError("internal", "The search failed: its thread has ended", { cause: error });
  }
  return error;
}
