import { CircuitBreaker } from "../../../async/mod.ts";
import type { Found, Reply, Request, VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";

/** Most searches that may be under way when the options do not say. */
const MAX_SEARCHES = 256;

/** Searches that are with the thread at once: one in progress, and one that it need not wait for. What is there cannot be called back. */
const MAX_SENT = 2;

/** How long {@linkcode VectorIndex.close} waits for the search in progress, in milliseconds. */
const CLOSE_MS = 1000;

/** Settings of {@linkcode VectorIndex.start}. */
export interface VectorIndexOptions extends VectorSettings {
  /** Starts a thread that runs `serve` of host.ts. */
  readonly spawn: () => Worker;
  /** Searches that may be under way at once; further ones are refused. Default: 256. */
  readonly maxSearches?: number;
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number;
}

/** How long a search is waited for. */
export interface VectorWait {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
}

/** A search of vectors could not be done. The message is for whoever reads the answer, the cause for the log. */
export class VectorSearchError extends Error {
  /** Always `VectorSearchError`. */
  override name = "VectorSearchError";
}

type Pending = VectorQuery & PromiseWithResolvers<Found> & { isSent: boolean };

/**
 * The main thread's end of the vector search: owns the thread that keeps the vectors in memory and scans them.
 *
 * What the store has when a search begins is what it finds: vectors that have come, chunks that have gone and a newer set
 * of the same identity are taken over first. The thread loads the vectors as soon as it starts; a search that comes
 * meanwhile waits. A thread that fails takes its searches with it; those of the next seconds fail at once, then one starts a
 * new thread.
 *
 * @example
 * ```ts
 * import { spawnVectors } from "../../worker.ts";
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
 *     spawn: spawnVectors,
 *   });
 *   const { ids, embedded } = await index.search({ query: new Float32Array([0.6, 0.8]), top: 10 });
 *   assertEquals([ids.length, embedded], [0, 0]);
 * }
 * await Deno.remove(dir.path, { recursive: true });
 * ```
 */
export class VectorIndex implements AsyncDisposable {
  readonly #settings: VectorSettings;
  readonly #spawn: () => Worker;
  readonly #maxSearches: number;
  readonly #breaker: CircuitBreaker;
  /** Started by the first search, or before by {@linkcode VectorIndex.warmUp}. */
  #worker: Worker | undefined;
  #isOpen = false;
  /** In the order of their arrival; one that is with the thread stays until its answer, whoever still waits for it. */
  #pending = new Map<number, Pending>();
  #sent = 0;
  #nextId = 1;
  #memory: VectorMemory = { bytes: 0, vectors: 0, complete: true };
  #closed: Promise<void> | undefined;

  private constructor(
    settings: VectorSettings,
    { spawn, maxSearches, now }: { spawn: () => Worker; maxSearches: number; now: () => number },
  ) {
    this.#settings = settings;
    this.#spawn = spawn;
    this.#breaker = new CircuitBreaker(now);
    this.#maxSearches = maxSearches;
  }

  /** An index over the store in a data directory, which has been opened for writing before. */
  static start(
    { spawn, maxSearches = MAX_SEARCHES, now = () => performance.now(), ...settings }: VectorIndexOptions,
  ): VectorIndex {
    return new VectorIndex(settings, { spawn, maxSearches, now });
  }

  /** Starts the thread and loads the vectors now, which the first search would have to wait for. */
  warmUp(): void {
    if (this.#worker || this.#closed) return;
    const worker = this.#worker = this.#spawn();
    worker.onmessage = ({ data: reply }: MessageEvent<Reply>) => {
      if (worker === this.#worker) this.#receive(reply);
    };
    worker.onerror = (event) => {
      // Otherwise Deno takes the whole process down with it.
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message);
    };
  }

  /**
   * Finds the chunks whose vectors have the largest dot products with the query's; of equal ones the smaller id comes
   * first. Exact, but for results that are among thousands of nearly the same score: as many candidates as are wanted and
   * 1024 more are looked at with full precision.
   *
   * @throws {VectorSearchError} When the query is not of the stored vectors' dimensions, too many searches are under way,
   * the thread has failed, it took longer than `timeoutMs`, or the index is closed.
   * @throws The signal's reason, when it aborts.
   */
  async search(
    { query, top, ...filter }: VectorQuery,
    { signal, timeoutMs }: VectorWait = {},
  ): Promise<Found> {
    signal?.throwIfAborted();
    if (this.#closed) throw new VectorSearchError("The vector search is closed");
    if (this.#breaker.failure && !this.#breaker.mayTry) throw this.#breaker.failure;
    if (this.#pending.size >= this.#maxSearches) {
      throw new VectorSearchError("The vector search is busy: try again in a moment");
    }
    this.warmUp();
    const id = this.#nextId++;
    const search: Pending = { query, top, ...filter, ...Promise.withResolvers(), isSent: false };
    this.#pending.set(id, search);
    this.#sendNext();
    const giveUp = (reason: unknown) => {
      if (!search.isSent) this.#pending.delete(id);
      search.reject(reason);
    };
    const onAbort = () => giveUp(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    const timer = timeoutMs === undefined
      ? undefined
      : setTimeout(() => giveUp(this.#overdue(timeoutMs)), timeoutMs);
    try {
      return await search.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Memory that the vectors took after the last search; none before they are loaded. */
  memory(): VectorMemory {
    return this.#memory;
  }

  /** Ends the thread; searches that are under way fail. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The same as {@linkcode VectorIndex.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    this.#end(new VectorSearchError("The vector search is closed"));
    if (!worker) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve();
      };
      worker.onmessage = ({ data: reply }: MessageEvent<Reply>) => {
        // A thread that has only just begun to listen is told to close as well.
        if (reply.type === "ready") worker.postMessage({ type: "close" } satisfies Request);
        else if (reply.type === "closed") resolve();
      };
      worker.postMessage({ type: "close" } satisfies Request);
    });
    clearTimeout(timer);
    worker.terminate();
  }

  #receive(reply: Reply): void {
    switch (reply.type) {
      case "ready":
        return this.#post({ type: "open", settings: this.#settings });
      case "opened":
        this.#isOpen = true;
        this.#breaker.succeeded();
        this.#memory = reply.memory;
        return this.#sendNext();
      case "refused":
        return this.#fail(reply.message);
      case "found":
        this.#memory = reply.memory;
        this.#take(reply.id)?.resolve(reply.found);
        return this.#sendNext();
      case "failed":
        this.#take(reply.id)?.reject(failed(reply.message));
        return this.#sendNext();
    }
  }

  #sendNext(): void {
    if (!this.#isOpen) return;
    for (const [id, search] of this.#pending) {
      if (this.#sent >= MAX_SENT) return;
      if (!search.isSent) this.#send(id, search);
    }
  }

  #send(id: number, search: Pending): void {
    const { query, top, allowed } = search;
    search.isSent = true;
    this.#sent++;
    try {
      this.#post({ type: "search", id, search: allowed ? { query, top, allowed } : { query, top } });
    } catch (cause) {
      // A query that cannot be cloned: a bug of the caller's, and nothing was sent.
      this.#take(id)?.reject(new VectorSearchError("The vector search has failed", { cause }));
    }
  }

  #post(request: Request): void {
    this.#worker?.postMessage(request);
  }

  #take(id: number): Pending | undefined {
    const search = this.#pending.get(id);
    if (search?.isSent) this.#sent--;
    this.#pending.delete(id);
    return search;
  }

  #fail(message: string): void {
    const worker = this.#worker;
    const failure = failed(message);
    this.#breaker.failed(failure);
    this.#end(failure);
    worker?.terminate();
  }

  #overdue(ms: number): VectorSearchError {
    return new VectorSearchError(
      this.#isOpen
        ? `The vectors took longer than ${ms / 1000} s: try again in a moment`
        : "The vectors are being loaded: try again in a moment",
    );
  }

  #end(error: VectorSearchError): void {
    this.#worker = undefined;
    this.#isOpen = false;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#sent = 0;
  }
}

function failed(message: string): VectorSearchError {
  return new VectorSearchError("The vector search has failed", { cause: new Error(message) });
}
