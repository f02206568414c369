import { basename } from "node:path";
import { CoarseTimers, delay, type ThreadPort } from "../async/mod.ts";
import {
  type LocalEngine,
  type LocalRequest,
  type LocalResponse,
  MAX_TEXT_CHARS,
  type RouteName,
} from "../contract/mod.ts";
import type { FetcherOptions } from "../crawler/mod.ts";
import { extractionCommand, type OcrSettings } from "../extraction_process/mod.ts";
import { MetricsRegistry, runDetached } from "../telemetry/mod.ts";
import type { ConnectionInfo, HttpRequest } from "../web/mod.ts";
import { createEngineApi, type EngineApi } from "./http/mod.ts";
import { ExtractorPool, PromptFiles, Scheduler, Spool } from "./ingestion/mod.ts";
import {
  createWebSyncer,
  DocumentReader,
  type NewSourceOptions,
  Sources,
  type SourcesOptions,
  syncMetrics,
} from "./sources/mod.ts";
import {
  dataDirAt,
  isOutOfMemory,
  SqliteKnowledgeBase,
  type SqliteOptions,
  storageFault,
  TextReader,
  toDataDirError,
} from "./sqlite/mod.ts";
import {
  spawnEncoder,
  spawnSearch,
  spawnSpareEncoder,
  spawnTextReader,
  spawnWriter,
  vectorThread,
} from "./worker.ts";

/** Functions that start threads; each returns the port of a new one, which the engine terminates. */
export interface EngineThreads {
  /** Starts a thread that writes to the database. */
  readonly writer: () => ThreadPort;
  /** Starts a thread that reads small text files. */
  readonly texts: () => ThreadPort;
  /** Starts a thread that searches. */
  readonly search: () => ThreadPort;
}

/** Options of {@linkcode Engine.open}. */
export interface EngineOptions extends Omit<SqliteOptions, "spawn"> {
  /** Starts threads, as the functions of `worker.ts` do by default. Tests share threads between engines. */
  readonly threads?: EngineThreads | undefined;
  /** Bearer token that callers must send. Unset: every caller is accepted. */
  readonly apiKey?: string;
  /**
   * Bearer token of local callers, accepted instead of `apiKey`. They may name folders of this machine as sources.
   * Visible ASCII. Unset: only requests of this process are local.
   */
  readonly localToken?: string;
  /** Maximum size of a file in bytes. */
  readonly maxFileBytes: number;
  /** Timeout for the text extraction of one file, in milliseconds. */
  readonly extractTimeoutMs: number;
  /** Maximum memory of a process that extracts text, in bytes. */
  readonly extractMemoryBytes: number;
  /** Language data for OCR; undefined: images are not read. */
  readonly ocr?: OcrSettings | undefined;
  /** Maximum number of files that are extracted at the same time. @default {1} */
  readonly extractConcurrency?: number;
  /** Maximum length of the text of a file, in UTF-16 code units. @default {MAX_TEXT_CHARS} */
  readonly maxTextChars?: number;
  /** Receives the engine's metrics; served at `/metrics`. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  /** Bearer token that reads metrics from other machines. Unset: only this machine reads them. */
  readonly metricsToken?: string;
  /** Sources from the configuration. Unset: stored sources are neither synchronized nor watched by themselves. */
  readonly sources?: readonly NewSourceOptions[];
  /** How pages of the web are fetched. @default {{ userAgent: "kb-mcp" }} */
  readonly fetch?: FetcherOptions;
  /** Called when a source has been added. */
  readonly onSourceAdded?: SourcesOptions["onAdded"];
  /** Called after each synchronization of a source. */
  readonly onSync?: SourcesOptions["onSync"];
  /** Timeout for receiving a request body, in milliseconds. Large bodies get 1 s more per 64 KiB. */
  readonly bodyTimeoutMs: number;
}

/** Returns the code in the name of a file with language data, such as `eng`. */
function ocrLanguage(path: string): string {
  return basename(path).replace(/^ocr-|\.traineddata.*$/g, "");
}

/** Maximum memory of a process for small files, in bytes. A file that needs more is read again as a large one. */
const SMALL_FILE_MEMORY_BYTES = 256 * 2 ** 20;

/** Maximum time that {@linkcode Engine.close} waits for requests in progress, in milliseconds. */
const DRAIN_TIMEOUT_MS = 5000;

/**
 * The embedded knowledge base: the engine contract (`src/contract`) over one data directory.
 *
 * Reads run on the calling thread. Writes, searches by meaning, and the embedding of documents have threads, and text
 * extraction a process.
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
 *     extractMemoryBytes: 2 ** 30,
 *     bodyTimeoutMs: 30_000,
 *     chunk: { maxTokens: 320, overlapTokens: 48 },
 *     vectorMemoryBytes: 2 ** 29,
 *     log: silentLogger,
 *   });
 *   const form = new FormData();
 *   form.append("text", "The kettle is in the cupboard.");
 *   const response = await engine.fetch(new Request("http://engine/api/v1/jobs", { method: "POST", body: form }));
 *   assertEquals(response.status, 202);
 *   const { job_id, status } = await response.json();
 *   assertEquals([job_id, status], [1, "done"]);
 * }
 * await Deno.remove(dataDir, { recursive: true });
 * ```
 */
export class Engine implements LocalEngine, AsyncDisposable {
  readonly #timers = new CoarseTimers();
  readonly #api: EngineApi;
  readonly #knowledgeBase: SqliteKnowledgeBase;
  readonly #resources: AsyncDisposableStack;
  readonly #closing: AbortController;
  #closed: Promise<void> | undefined;

  private constructor(
    api: EngineApi,
    knowledgeBase: SqliteKnowledgeBase,
    resources: AsyncDisposableStack,
    closing: AbortController,
  ) {
    this.#api = api;
    this.#knowledgeBase = knowledgeBase;
    this.#resources = resources;
    this.#closing = closing;
  }

  /**
   * Opens a data directory, migrates it, and resumes its unfinished jobs.
   *
   * @throws {DataDamagedError} If the data must be restored or repaired.
   * @throws {DataDirError} If the directory cannot be used: it is in use by another process, not writable, of
   * a newer version, or has vectors of another embedding model. The message is for the operator.
   * @throws {ExtractionPermissionError} If this process may not start itself to extract text.
   */
  static async open(options: EngineOptions): Promise<Engine> {
    try {
      return await Engine.#open(options);
    } catch (error) {
      // Damage that the check of the files has not covered.
      throw storageFault(error) || isOutOfMemory(error)
        ? toDataDirError(error, dataDirAt(options.dataDir))
        : error;
    }
  }

  static async #open(options: EngineOptions): Promise<Engine> {
    const { apiKey, localToken, maxFileBytes, chunk, metrics = new MetricsRegistry(), metricsToken, log } =
      options;
    const { extractMemoryBytes: maxMemoryBytes, ocr } = options;
    const largeCommand = await extractionCommand({ maxMemoryBytes, ocr, savesMemory: true });
    const command = await extractionCommand({
      maxMemoryBytes: Math.min(maxMemoryBytes, SMALL_FILE_MEMORY_BYTES),
      ocr,
    });
    // Disposed in reverse order: the scheduler before the knowledge base that it writes to.
    await using resources = new AsyncDisposableStack();
    const { vectors, encoder: queryEncoder } = vectorThread();
    // A thread is started by the first request that needs it, and its messages belong to none.
    const { writer, texts: textReader, search } = options.threads ??
      { writer: spawnWriter, texts: spawnTextReader, search: spawnSearch };
    const spawn = {
      search: () => runDetached(search),
      writer: () => runDetached(writer),
      texts: () => runDetached(textReader),
      vectors: () => runDetached(vectors),
      encoder: () => runDetached(spawnEncoder),
      spareEncoder: () => runDetached(spawnSpareEncoder),
      queryEncoder: () => runDetached(queryEncoder),
    };
    const knowledgeBase = resources.use(await SqliteKnowledgeBase.open({ ...options, spawn, metrics }));
    const { queue } = knowledgeBase;

    const spool = new Spool(dataDirAt(options.dataDir).spool);
    const spooled = await queue.spooledFiles();
    const removed = knowledgeBase.isReadOnly ? 0 : await spool.sweep(spooled);
    if (removed > 0) log.info("removed spooled files without a job", { files: removed });

    const texts = resources.use(
      new TextReader({
        spawn: spawn.texts,
        onFailure: (error) => log.error("reading text files in processes only", { error }),
      }),
    );
    const extractors = resources.use(
      new ExtractorPool({
        command,
        largeCommand,
        concurrency: options.extractConcurrency ?? 1,
        timeoutMs: options.extractTimeoutMs,
        ...(options.maxTextChars !== undefined && { maxTextChars: options.maxTextChars }),
        readText: texts.read.bind(texts),
        log,
      }),
    );
    const scheduler = resources.use(
      new Scheduler({ queue, spool, extractors, chunk, maxFileBytes, metrics, log }),
    );
    const closing = new AbortController();
    const reader = new DocumentReader({ extractors, chunk, maxFileBytes });
    const recordSync = syncMetrics(metrics);
    const sources = resources.use(
      new Sources({
        signal: closing.signal,
        store: knowledgeBase.sources,
        reader,
        documentAt: async (path) =>
          (await knowledgeBase.listDocuments({ source_path: path, limit: 1 })).documents[0],
        log,
        syncers: { web: createWebSyncer(options.fetch ?? { userAgent: "kb-mcp" }) },
        onAdded: options.onSourceAdded,
        onSync(name, report) {
          recordSync(name, report);
          options.onSync?.(name, report);
        },
      }),
    );
    const form = { spool, maxFileBytes, timeoutMs: options.bodyTimeoutMs, signal: closing.signal };
    const readText = texts.read.bind(texts);
    const api = createEngineApi({
      promptFiles: new PromptFiles({ queue, readText, chunk, metrics }),
      knowledgeBase,
      sources,
      scheduler,
      form,
      extraction: {
        max_text_chars: options.maxTextChars ?? MAX_TEXT_CHARS,
        ocr_languages: options.ocr?.files.map(ocrLanguage) ?? [],
      },
      apiKey,
      localToken,
      metrics,
      metricsToken,
      log,
    });

    if (!knowledgeBase.isReadOnly && await queue.hasUnfinishedJobs()) {
      scheduler.wakeNotes();
      scheduler.wakeFiles();
    }
    if (!knowledgeBase.isReadOnly && options.sources) sources.start(options.sources);
    return new Engine(api, knowledgeBase, resources.move(), closing);
  }

  /** Starts threads and loads indexes in the background, before the first request needs them. */
  warmUp(): Promise<void> {
    return this.#knowledgeBase.warmUp();
  }

  /** Returns the state of the storage, after a short read of it. */
  storageState(): ReturnType<SqliteKnowledgeBase["storageState"]> {
    return this.#knowledgeBase.storageState();
  }

  /** Whether only a restart of the process makes changes possible again. */
  get needsRestart(): boolean {
    return this.#knowledgeBase.needsRestart;
  }

  /**
   * Returns the response to a request of the contract, such as a `fetch` for clients.
   * Never rejects: errors become error responses. The origin of the URL is ignored.
   *
   * @param connection Undefined: a request of this process.
   */
  fetch(request: HttpRequest, connection?: ConnectionInfo): Promise<Response> {
    return this.#api.fetch(request, connection);
  }

  /** Returns the response of a route to a caller in this process. Never rejects: errors become error responses. */
  call(name: RouteName, request: LocalRequest): Promise<LocalResponse> {
    return this.#api.call(name, request);
  }

  /** Starts a timer that ends up to a second late, and never after the engine is closed. */
  startTimer(onTimeout: () => void, ms: number): () => void {
    return this.#timers.start(onTimeout, ms);
  }

  /**
   * Rejects further requests with `shutting_down`, waits up to 5 s for requests in progress, and releases all
   * resources. The extraction of a file is aborted; its job restarts with the next {@linkcode Engine.open}.
   */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** Calls {@linkcode Engine.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const drained = new AbortController();
    const idle = this.#api.idle().finally(() => drained.abort());
    await Promise.race([idle, delay(DRAIN_TIMEOUT_MS, drained.signal)]);
    await this.#resources.disposeAsync();
    this.#timers[Symbol.dispose]();
  }
}
