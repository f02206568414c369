import type { DatabaseSync } from "node:sqlite";
import type { Logger } from "../telemetry/mod.ts";
import type { EmbeddingOptions } from "../embeddings/mod.ts";
import { Front } from "./http/front.ts";
import { Extractor } from "./ingestion/extractor.ts";
import { pause } from "../async/pump.ts";
import { Scheduler } from "./ingestion/scheduler.ts";
import { Spool } from "./ingestion/spool.ts";
import { Searcher } from "./sqlite/search/mod.ts";
import { openSemantic } from "./sqlite/semantic_search.ts";
import { dataDirAt, hasUnfinishedJobs, openForReading, spooledFiles } from "./sqlite/store/mod.ts";
import type { ChunkOptions } from "../extraction/types.ts";
import { spawnExtractor } from "./worker.ts";
import { Writer } from "./sqlite/writer/mod.ts";

/** Settings of {@linkcode Engine.open}. */
export interface EngineOptions {
  /** Directory of everything that is stored; made when it is not there. */
  readonly dataDir: string;
  /** Bearer token that callers must send. Unset: every caller is accepted. */
  readonly apiKey?: string;
  /** Largest file, in bytes. */
  readonly maxFileBytes: number;
  /** Jobs that may wait. */
  readonly maxQueuedJobs: number;
  /** Time that the text extraction of one file may take before its job fails, in milliseconds. */
  readonly extractTimeoutMs: number;
  /** Time that a request's body may take to arrive, in milliseconds; large ones get 1 s more for each 64 KiB. */
  readonly bodyTimeoutMs: number;
  /** Sizes of chunks. */
  readonly chunk: ChunkOptions;
  /** Where vectors come from. Unset: full text only. */
  readonly embeddings?: EmbeddingOptions;
  /** Most memory that vectors take, in bytes; what is beyond it is read from disk by each search. */
  readonly vectorMemoryBytes: number;
  /** Told of what goes wrong, with causes; never of what is stored. */
  readonly log: Logger;
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
    const { dataDir, maxFileBytes, maxQueuedJobs, extractTimeoutMs, bodyTimeoutMs, chunk, embeddings, log } =
      options;
    // Disposed of in reverse order: first whoever writes, then what is written to.
    await using undo = new AsyncDisposableStack();
    const writer = undo.use(
      await Writer.start({
        dataDir,
        maxQueuedJobs,
        chunk,
        ...(embeddings && { embeddings }),
        onEmbedding: ({ error, cause }) => {
          if (error === null) log.info("the embedding model works again");
          else log.warn("the embedding model cannot be used", { error, cause });
        },
        onUpgrade: ({ steps, ms }) => {
          if (ms === null) {
            log.info("bringing the data up to date, which may take minutes", { steps: steps.join() });
          } else log.info("the data are up to date", { ms });
        },
      }),
    );
    const dir = dataDirAt(dataDir);
    const db: DatabaseSync = undo.adopt(openForReading(dir), (each) => each.close());
    const spool = new Spool(dir.spool);
    const swept = await spool.sweep(spooledFiles(db));
    if (swept > 0) log.info("removed spooled files without a job", { files: swept });
    const extractor = new Extractor(spawnExtractor, { timeoutMs: extractTimeoutMs });
    const scheduler = undo.use(new Scheduler({ writer, spool, extractor, chunk, log }));
    const closing = new AbortController();
    const semantic = embeddings && undo.use(openSemantic(options, embeddings, writer, db));
    const searcher = new Searcher({ db, vectors: semantic?.search });
    const front = new Front({
      db,
      writer,
      scheduler,
      searcher,
      embeddings: semantic?.status,
      maxQueuedJobs,
      form: { spool, maxFileBytes, timeoutMs: bodyTimeoutMs, signal: closing.signal },
      apiKey: options.apiKey,
      log,
    });
    if (hasUnfinishedJobs(db)) {
      scheduler.wakeNotes();
      scheduler.wakeFiles();
    }
    const warmUp = () => {
      writer.warmUp();
      searcher.warmUp();
      semantic?.index.warmUp();
    };
    return new Engine(front, warmUp, closing, undo.move());
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
