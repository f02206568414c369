import { pause } from "../async/mod.ts";
import { Front } from "./http/mod.ts";
import { Extractor, Scheduler, Spool } from "./ingestion/mod.ts";
import { dataDirAt, SqliteKnowledgeBase, type SqliteOptions } from "./sqlite/mod.ts";
import { spawnExtractor, spawnVectors, spawnWriter } from "./worker.ts";

/** Settings of {@linkcode Engine.open}. */
export interface EngineOptions extends Omit<SqliteOptions, "spawn"> {
  /** Bearer token that callers must send. Unset: every caller is accepted. */
  readonly apiKey?: string;
  /** Maximum size of a file, in bytes. */
  readonly maxFileBytes: number;
  /** Timeout for the text extraction of one file, in milliseconds. */
  readonly extractTimeoutMs: number;
  /** Timeout for receiving a request body, in milliseconds; large bodies get 1 s more per 64 KiB. */
  readonly bodyTimeoutMs: number;
}

/** How long {@linkcode Engine.close} waits for requests in progress, in milliseconds. */
const DRAIN_MS = 5000;

/**
 * The embedded knowledge base: the engine contract (`src/contract`) over one data directory.
 *
 * Reads run on this thread; writes, the extraction of text and the scan of vectors have a thread each.
 *
 * @example
 * ```ts
 * import { Engine } from "./mod.ts";
 * import { silentLogger } from "../telemetry/mod.ts";
 * import { assertEquals } from "@std/assert";
 * const dataDir = await Deno.makeTempDir();
 * {
 *   await using engine = await Engine.open({
 *     dataDir,
 *     maxFileBytes: 2 ** 20,
 *     maxQueuedJobs: 100,
 *     extractTimeoutMs: 60_000,
 *     bodyTimeoutMs: 30_000,
 *     chunk: { maxTokens: 320, overlapTokens: 48 },
 *     vectorMemoryBytes: 2 ** 29,
 *     log: silentLogger,
 *   });
 *   const form = new FormData();
 *   form.append("text", "The kettle is in the cupboard.");
 *   const response = await engine.fetch(new Request("http://engine/api/v1/jobs", { method: "POST", body: form }));
 *   assertEquals(response.status, 202);
 *   assertEquals(await response.json(), { job_id: 1, status: "queued" });
 * }
 * await Deno.remove(dataDir, { recursive: true });
 * ```
 */
export class Engine implements AsyncDisposable {
  readonly #front: Front;
  readonly #warmUp: () => void;
  readonly #parts: AsyncDisposableStack;
  readonly #closing: AbortController;
  #closed: Promise<void> | undefined;

  private constructor(
    front: Front,
    warmUp: () => void,
    closing: AbortController,
    parts: AsyncDisposableStack,
  ) {
    this.#front = front;
    this.#warmUp = warmUp;
    this.#closing = closing;
    this.#parts = parts;
  }

  /**
   * Opens a data directory, brings it up to date, and goes on with the jobs that are waiting in it.
   *
   * @throws {DataDirError} When the directory cannot be used: in use by another process, not writable, of a newer
   * version, with vectors of another embedding model. The message is for the person who runs the engine.
   */
  static async open(options: EngineOptions): Promise<Engine> {
    const { dataDir, maxFileBytes, extractTimeoutMs, bodyTimeoutMs, chunk, log } = options;
    // Disposed of in reverse order: the scheduler before the knowledge base that it writes to.
    await using parts = new AsyncDisposableStack();
    const spawn = { writer: spawnWriter, vectors: spawnVectors };
    const knowledgeBase = parts.use(await SqliteKnowledgeBase.open({ ...options, spawn }));
    const { queue } = knowledgeBase;
    const spool = new Spool(dataDirAt(dataDir).spool);
    const swept = await spool.sweep(await queue.spooledFiles());
    if (swept > 0) log.info("removed spooled files without a job", { files: swept });
    const extractor = new Extractor(spawnExtractor, { timeoutMs: extractTimeoutMs });
    const scheduler = parts.use(new Scheduler({ queue, spool, extractor, chunk, log }));
    const closing = new AbortController();
    const front = new Front({
      knowledgeBase,
      scheduler,
      form: { spool, maxFileBytes, timeoutMs: bodyTimeoutMs, signal: closing.signal },
      apiKey: options.apiKey,
      log,
    });
    if (await queue.hasUnfinishedJobs()) {
      scheduler.wakeNotes();
      scheduler.wakeFiles();
    }
    return new Engine(front, () => knowledgeBase.warmUp(), closing, parts.move());
  }

  /** Does now what the first write and the first search would have to wait for. */
  warmUp(): void {
    this.#warmUp();
  }

  /**
   * Answers a request of the contract: what `fetch` is to a remote engine, and a handler for `Deno.serve`. Never
   * throws; errors are answers too. The origin of the URL does not matter.
   */
  fetch(request: Request): Promise<Response> {
    return this.#front.fetch(request);
  }

  /**
   * Refuses further requests as `shutting_down`, finishes those in progress, and gives back every resource. A file
   * that is being read is given up; its job starts again with the next {@linkcode Engine.open}.
   */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The same as {@linkcode Engine.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const drained = new AbortController();
    const idle = this.#front.idle().finally(() => drained.abort());
    await Promise.race([idle, pause(DRAIN_MS, drained.signal)]);
    await this.#parts.disposeAsync();
  }
}
