import {
  CircuitBreaker,
  type RequestOptions,
  ThreadClient,
  ThreadError,
  type ThreadPort,
} from "../../../async/mod.ts";
import type { NearestChunks, VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";

/** Default of {@linkcode VectorIndexOptions.maxSearches}. */
const DEFAULT_MAX_SEARCHES = 256;

/**
 * Maximum number of searches posted to the thread, where they cannot be withdrawn: the current and the next.
 */
const MAX_IN_FLIGHT = 2;

/** Timeout for the search in progress in {@linkcode VectorIndex.close}, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

/** Settings of {@linkcode VectorIndex.start}. */
export interface VectorIndexOptions extends VectorSettings {
  /** Starts a thread that runs `serve` of thread.ts, or connects to one. */
  readonly spawn: () => ThreadPort;
  /** Maximum number of pending searches. @default {256} */
  readonly maxSearches?: number;
  /** Monotonic clock, in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/** A vector search failed. The message is for the caller, the cause for the log. */
export class VectorSearchError extends Error {
  /** Always `VectorSearchError`. */
  override name = "VectorSearchError";
}

/**
 * Searches the vectors that a thread keeps in memory.
 *
 * A search includes every change committed before it began: new vectors, removed chunks, a newer set of the
 * same identity. Searches wait while the thread loads the vectors. If the thread fails, so do its searches
 * and those of the next seconds; then the next search starts a new thread.
 *
 * @example
 * ```ts
 * import { vectorThread } from "../../worker.ts";
 * import { VectorIndex } from "./vector_index.ts";
 * import { createDataDir } from "../store/data_dir.ts";
 * import { openForWriting } from "../store/open.ts";
 * import { assertEquals } from "@std/assert";
 * const dir = await createDataDir(await Deno.makeTempDir());
 * openForWriting(dir, () => new Date().toISOString()).close();
 * {
 *   await using index = VectorIndex.start({
 *     dataDir: dir.path,
 *     identity: { model: "all-minilm", documentPrefix: "" },
 *     memoryBytes: 2 ** 29,
 *     spawn: vectorThread().vectors,
 *   });
 *   const { ids, embedded } = await index.search({ query: new Float32Array([0.6, 0.8]), top: 10 });
 *   assertEquals([ids.length, embedded], [0, 0]);
 * }
 * await Deno.remove(dir.path, { recursive: true });
 * ```
 */
export class VectorIndex implements AsyncDisposable {
  readonly #options: VectorIndexOptions;
  readonly #breaker: CircuitBreaker;
  /** Started by the first search or {@linkcode VectorIndex.warmUp}; unset again after a failure. */
  #thread: ThreadClient<VectorQuery, NearestChunks, VectorMemory> | undefined;
  #memory: VectorMemory = { bytes: 0, vectors: 0, complete: true };
  #closed: Promise<void> | undefined;

  private constructor(options: VectorIndexOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(options.now ?? (() => performance.now()));
  }

  /** Creates an index over a data directory whose database exists. */
  static start(options: VectorIndexOptions): VectorIndex {
    return new VectorIndex(options);
  }

  /** Starts the thread and loads the vectors before the first search. */
  warmUp(): void {
    if (!this.#closed) this.#thread ??= this.#startThread();
  }

  /**
   * Returns the chunks with the largest dot products with the query; among equal ones, smaller ids first. The
   * result is exact unless more than 1024 other vectors have nearly the same score as the last result.
   *
   * @throws {VectorSearchError} When the query has the wrong dimensions, too many searches are pending, the
   * thread has failed, there is no result within `timeoutMs`, or the index is closed.
   * @throws The reason of `signal`.
   */
  async search(query: VectorQuery, options: RequestOptions = {}): Promise<NearestChunks> {
    options.signal?.throwIfAborted();
    if (this.#closed) throw new VectorSearchError("The vector search is closed");
    if (this.#breaker.failure && !this.#breaker.canTry) throw this.#breaker.failure;
    const thread = this.#thread ??= this.#startThread();
    try {
      return await thread.request(query, options);
    } catch (error) {
      if (options.signal?.aborted && error === options.signal.reason) throw error;
      throw this.#toSearchError(error, thread.state === "starting", options.timeoutMs ?? 0);
    }
  }

  /** Memory used by vectors, as of the last search. */
  memory(): VectorMemory {
    return this.#memory;
  }

  /** Rejects pending searches and ends the thread. */
  close(): Promise<void> {
    return this.#closed ??= this.#thread?.close({ drain: false, timeoutMs: CLOSE_TIMEOUT_MS }) ??
      Promise.resolve();
  }

  /** Same as {@linkcode VectorIndex.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #startThread(): ThreadClient<VectorQuery, NearestChunks, VectorMemory> {
    const { spawn, maxSearches = DEFAULT_MAX_SEARCHES, dataDir, identity, memoryBytes } = this.#options;
    const settings: VectorSettings = { dataDir, identity, memoryBytes };
    const thread = new ThreadClient<VectorQuery, NearestChunks, VectorMemory>({
      spawn,
      settings,
      maxPending: maxSearches,
      maxInFlight: MAX_IN_FLIGHT,
      onNotice: (memory) => this.#memory = memory,
      onFailure: ({ cause }) => {
        this.#thread = undefined;
        this.#breaker.recordFailure(new VectorSearchError("The vector search has failed", { cause }));
      },
    });
    thread.opened.then(() => this.#breaker.recordSuccess(), () => {/* reported by onFailure */});
    return thread;
  }

  #toSearchError(error: unknown, isStarting: boolean, timeoutMs: number): Error {
    if (error instanceof ThreadError) {
      switch (error.code) {
        case "busy":
          return new VectorSearchError("The vector search is busy: try again in a moment");
        case "timeout":
          return new VectorSearchError(
            isStarting
              ? "The vectors are being loaded: try again in a moment"
              : `The vectors took longer than ${timeoutMs / 1000} s: try again in a moment`,
          );
        case "failed":
          // The same error for all searches that it failed, so that it is logged once.
          if (this.#breaker.failure) return this.#breaker.failure;
          break;
        case "closed":
          return new VectorSearchError("The vector search is closed");
      }
    }
    return new VectorSearchError("The vector search has failed", { cause: error });
  }
}
