import type { DatabaseSync } from "node:sqlite";
import {
  RemoteError,
  type SerializedError,
  ThreadClient,
  ThreadError,
  type ThreadPort,
} from "../../../async/mod.ts";
import {
  type BuiltinModelOptions,
  EmbeddingError,
  type EmbeddingModel,
  type EmbeddingOptions,
} from "../../../embeddings/mod.ts";
import { type ActiveSpan, MetricsRegistry, withSpan } from "../../../telemetry/mod.ts";
import { type IngestedFile, KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import {
  checkDatabase,
  closedFile,
  closeForWriting,
  CommitMarker,
  countVectors,
  createDataDir,
  type DataDir,
  dataDirAt,
  DEFAULT_RETENTION,
  hasColumnsToExtend,
  hasContentToRemove,
  hasDocumentsToAnalyze,
  hasExpired,
  hasOlderSets,
  hasStagedContent,
  hasVectorsToConvert,
  hasVectorsToPack,
  hasWriteAheadLog,
  isReadOnlyDisk,
  lastCommit,
  lockDataDir,
  OpenFile,
  openForWriting,
  type Operation,
  OtherModelError,
  removeNewDatabases,
  storageFault,
  storageFaultError,
  type StoreOperations,
  timestamp,
  toKnowledgeBaseError,
  type Upgrade,
} from "../store/mod.ts";
import { claimSet } from "./embedding_set.ts";
import { WriterMetrics } from "./writer_metrics.ts";
import type {
  EmbeddedTexts,
  EmbeddingState,
  TextsToEmbed,
  WriteCall,
  WriteResult,
  WriterNotice,
  WriterRequest,
  WriterResponse,
  WriterSettings,
  WriterThreadSettings,
} from "./protocol.ts";

/** Maximum number of calls in one commit. */
const MAX_GROUP = 256;

/** Maximum number of chunks in one commit, unless its first call has more: they take about 50 ms. */
const MAX_GROUP_CHUNKS = 512;

/** Default of {@linkcode WriterOptions.maxCalls}. */
const DEFAULT_MAX_CALLS = 4096;

/** Default of {@linkcode WriterOptions.closeTimeoutMs}. Indexing a book is one write and can take longer. */
const DEFAULT_CLOSE_TIMEOUT_MS = 3000;

/** Settings of {@linkcode Writer.start}. */
export interface WriterOptions extends WriterSettings {
  /** Starts a thread that runs `serve` of thread.ts. */
  readonly spawn: () => ThreadPort;
  /** Maximum number of pending calls. @default {4096} */
  readonly maxCalls?: number;
  /** Timeout for pending writes in {@linkcode Writer.close}, in milliseconds. @default {3000} */
  readonly closeTimeoutMs?: number;
  /** Embeds documents, if `embeddings` is a built-in model. */
  readonly model?: DocumentModel;
  /** Called when the embedding model starts to fail, and when it works again. */
  readonly onEmbedding?: (state: EmbeddingState) => void;
  /** Called once when the thread has ended unexpectedly. */
  readonly onFailure?: (error: KnowledgeBaseError) => void;
  /** Called before and after a database of an older version is migrated. */
  readonly onUpgrade?: (upgrade: Upgrade) => void;
  /** Called with the ids of jobs that have ended, and of the containers of their files, once that is on disk. */
  readonly onJobsEnded?: (ids: readonly number[]) => void;
  /** Receives metrics of writes and embeddings. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
}

/** A model that embeds documents. */
export type DocumentModel = Pick<EmbeddingModel, "embedDocuments">;

type PendingCall = WriteCall & PromiseWithResolvers<unknown> & { span?: ActiveSpan };
type WriterThread = ThreadClient<WriterRequest, WriterResponse, WriterNotice>;

/**
 * Runs every write on one thread, and holds the lock of the data directory.
 *
 * While one group of calls is committed, the next one gathers: the higher the load, the more calls share a
 * sync of the disk. A single call is sent at once.
 *
 * @example
 * ```ts
 * import { spawnWriter } from "../../worker.ts";
 * import { Writer } from "./writer.ts";
 * import { assertEquals } from "@std/assert";
 * const dataDir = await Deno.makeTempDir();
 * {
 *   await using writer = await Writer.start({
 *     dataDir,
 *     chunk: { maxTokens: 320, overlapTokens: 48 },
 *     maxQueuedJobs: 100,
 *     spawn: spawnWriter,
 *   });
 *   const job = await writer.call("createJob", { text: "Hello", contentHash: "0".repeat(64), sizeBytes: 5, tags: [] });
 *   assertEquals(job.status, "queued");
 *   assertEquals(await writer.call("ingestNotes", 10), { queuedNotes: 0, queuedFiles: 0 });
 * }
 * await Deno.remove(dataDir, { recursive: true });
 * ```
 */
export class Writer implements AsyncDisposable {
  readonly #options: WriterOptions;
  readonly #metrics: WriterMetrics;
  #embeddings: EmbeddingOptions | undefined;
  #model: DocumentModel | undefined;
  #embeddingSet: number | undefined;
  readonly #lock: Disposable | undefined;
  /** Connection of this thread; closed once the writer thread has its own. */
  #prepared: DatabaseSync | undefined;
  readonly #file: OpenFile;
  /** Started by the first write or {@linkcode Writer.warmUp}. */
  #thread: WriterThread | undefined;
  #embeddingState: EmbeddingState = { error: null };
  /** Calls for the next group. */
  #gathered: PendingCall[] = [];
  /** Number of calls in groups that were sent. */
  #sent = 0;
  #isFlushScheduled = false;
  #failure: KnowledgeBaseError | undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    options: WriterOptions,
    { db, lock, failure }: { db?: DatabaseSync; lock?: Disposable; failure?: KnowledgeBaseError },
  ) {
    this.#options = options;
    this.#file = new OpenFile(dataDirAt(options.dataDir).database);
    this.#metrics = new WriterMetrics(options.metrics ?? new MetricsRegistry());
    this.#embeddings = options.embeddings;
    this.#model = options.model;
    this.#prepared = db;
    this.#lock = lock;
    this.#failure = failure;
  }

  /**
   * Creates and locks the data directory, and creates or migrates its database. This happens on the calling
   * thread, so that errors are reported at once. The writer thread takes longer to load than the rest of the
   * program, so it starts later, unless the backfill has work to do.
   *
   * On a disk that is mounted read-only, nothing is locked or opened, and every write is rejected.
   *
   * @throws {DataDamagedError} When the data must be restored or repaired.
   * @throws {DataDirError} When the directory is in use or not writable, its database cannot be used, or its
   * vectors are of another embedding model.
   */
  static async start(options: WriterOptions): Promise<Writer> {
    const { dataDir, embeddings, onUpgrade } = options;
    const dir = await createDataDir(dataDir);
    if (isReadOnlyDisk(dir)) return new Writer(options, { failure: storageFaultError("read_only") });
    using undo = new DisposableStack();
    const lock = undo.use(lockDataDir(dir));
    checkDatabase(dir);
    const db = undo.adopt(openForWriting(dir, timestamp, onUpgrade), (each) => each.close());
    {
      using marker = CommitMarker.open(dir.marker);
      marker.write({ commit: lastCommit(db), closed: undefined });
    }
    // Only now: a start that is refused changes nothing.
    removeNewDatabases(dir);
    const writer = new Writer(options, { db, lock });
    if (embeddings) writer.#claim(db, embeddings);
    const { retention = DEFAULT_RETENTION } = options;
    const isWorkLeft = hasColumnsToExtend(db) || hasDocumentsToAnalyze(db) || hasContentToRemove(db) ||
      hasStagedContent(db) || hasVectorsToConvert(db) || hasVectorsToPack(db);
    if (isWorkLeft || hasExpired(db, retention, timestamp())) writer.warmUp();
    undo.move();
    return writer;
  }

  /** Id of the vector set that is served and filled; undefined if there is none. */
  get embeddingSet(): number | undefined {
    return this.#embeddingSet;
  }

  /** Why every write is rejected; undefined while writes are accepted. */
  get failure(): KnowledgeBaseError | undefined {
    return this.#failure;
  }

  /** State of the backfill. */
  get embeddingState(): EmbeddingState {
    return this.#embeddingState;
  }

  /**
   * Serves and fills the vectors of a model that became available after the start. Stored vectors of another
   * model are kept, and reported by {@linkcode Writer.embeddingState}.
   */
  async useModel(embeddings: BuiltinModelOptions, model: DocumentModel): Promise<void> {
    if (this.#closed || this.#failure) return;
    this.#embeddings = embeddings;
    this.#model = model;
    if (this.#thread) await this.#thread.request({ type: "model", embeddings });
    else if (this.#prepared) this.#claim(this.#prepared, { ...embeddings, isDefault: true });
  }

  /** Starts the thread before the first write. */
  warmUp(): void {
    if (!this.#closed && !this.#failure) this.#thread ??= this.#startThread();
  }

  /**
   * Runs one write. Resolves when it is on disk.
   *
   * @throws {KnowledgeBaseError} The error of the operation; `queue_full` for too many pending calls;
   * `storage_full`; `internal` when the writer has failed or is closed.
   */
  call<Op extends Operation>(
    operation: Op,
    ...args: Parameters<StoreOperations[Op]>
  ): Promise<ReturnType<StoreOperations[Op]>> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#closed) return Promise.reject(new KnowledgeBaseError("internal", "The store is closed"));
    if (this.#gathered.length + this.#sent >= (this.#options.maxCalls ?? DEFAULT_MAX_CALLS)) {
      return Promise.reject(new KnowledgeBaseError("queue_full", "The store is busy: try again in a moment"));
    }
    const call: PendingCall = { operation, args, ...Promise.withResolvers() };
    this.#gathered.push(call);
    this.#scheduleFlush();
    return withSpan(`write ${operation}`, {}, (span) => {
      call.span = span;
      return call.promise;
    }) as Promise<ReturnType<StoreOperations[Op]>>;
  }

  /** Completes pending calls, closes the database, ends the thread and unlocks the data directory. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** Same as {@linkcode Writer.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    while (this.#gathered.length > 0 && !this.#failure) this.#sendGroup();
    // Terminating a transaction is safe: SQLite rolls it back, and the next start repeats its job.
    await this.#thread?.close({ timeoutMs: this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS });
    const dir = dataDirAt(this.#options.dataDir);
    if (this.#prepared) closeForWriting(this.#prepared, dir);
    if (!this.#failure) markClosed(dir, this.#file);
    this.#lock?.[Symbol.dispose]();
  }

  /** Rejects further writes with this error. Writes in progress are completed. */
  refuse(error: KnowledgeBaseError): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const { reject } of this.#gathered.splice(0)) reject(error);
    // Also ends maintenance and the backfill, which write.
    void this.#thread?.close({ timeoutMs: this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS });
  }

  #startThread(): WriterThread {
    const { spawn, dataDir, chunk, maxQueuedJobs, keptJobs, retention } = this.#options;
    const embeddings = this.#embeddings;
    const settings: WriterThreadSettings = {
      dataDir,
      chunk,
      maxQueuedJobs,
      ...(keptJobs !== undefined && { keptJobs }),
      ...(retention && { retention }),
      ...(embeddings && { embeddings }),
      embeddingSet: this.#embeddingSet,
      databaseIdentity: this.#file.identity,
    };
    let isOpen = false;
    const thread: WriterThread = new ThreadClient({
      spawn,
      settings,
      maxPending: Infinity,
      onNotice: (notice) =>
        notice.type === "state" ? this.#reportEmbedding(notice.state) : void this.#embed(notice, thread),
      onFailure: ({ cause }) => isOpen ? this.#fail(cause) : this.#failToOpen(cause),
    });
    thread.opened.then(() => {
      isOpen = true;
      this.#prepared?.close();
      this.#prepared = undefined;
      this.#flush();
    }, () => {/* reported by onFailure */});
    return thread;
  }

  /** Claims the vectors of a model before the thread starts, and starts it if it has work to do. */
  #claim(db: DatabaseSync, embeddings: EmbeddingOptions): void {
    try {
      this.#embeddingSet = claimSet(db, this.#options.dataDir, embeddings);
      if (needsBackfill(db, this.#embeddingSet)) this.warmUp();
    } catch (error) {
      // The data of an earlier version must be served without a change of its settings.
      const mustStart = embeddings.type === "builtin" && embeddings.isDefault;
      if (!(error instanceof OtherModelError) || !mustStart) throw error;
      this.#reportEmbedding({ error: error.message, otherModel: error.model });
    }
  }

  #reportEmbedding(state: EmbeddingState): void {
    this.#embeddingState = state;
    this.#options.onEmbedding?.(state);
  }

  async #embed({ id, texts }: TextsToEmbed, thread: WriterThread): Promise<void> {
    let result: EmbeddedTexts;
    const startedAt = performance.now();
    try {
      if (!this.#model) throw new EmbeddingError("unavailable", "There is no embedding model");
      const model = this.#model;
      const vectors = await withSpan(
        "ingestion embed",
        { attributes: { "kb.texts": texts.length } },
        () => model.embedDocuments(texts),
      );
      this.#metrics.embedded(texts.length, performance.now() - startedAt);
      result = { type: "embedded", id, vectors };
    } catch (error) {
      const { code, message } = error instanceof EmbeddingError
        ? error
        : new EmbeddingError("unavailable", "The embedding model failed");
      result = { type: "embedded", id, error: { code, message } };
    }
    // A thread that has ended needs no vectors.
    if (!this.#closed) await thread.request(result).catch(() => {});
  }

  /** Groups the calls of one turn of the event loop. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#sent > 0) return;
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.warmUp();
    if (this.#thread?.state === "open" && this.#sent === 0 && this.#gathered.length > 0) this.#sendGroup();
  }

  #sendGroup(): void {
    const thread = this.#thread ??= this.#startThread();
    const group = this.#gathered.splice(0, groupSize(this.#gathered));
    this.#sent += group.length;
    const startedAt = performance.now();
    for (const { span } of group) span?.set({ "kb.commit_group": group.length });
    thread.request(group.map(({ operation, args }) => ({ operation, args }))).then(
      ({ results, endedJobs }) => {
        group.forEach((call, index) => settle(call, results[index]));
        if (endedJobs.length > 0) this.#options.onJobsEnded?.(endedJobs);
      },
      (cause) => this.#rejectGroup(group, cause),
    ).finally(() => {
      this.#metrics.committed(group, performance.now() - startedAt);
      this.#sent -= group.length;
      this.#flush();
    });
  }

  #rejectGroup(group: readonly PendingCall[], cause: unknown): void {
    // After an unexpected error in the thread, it is unknown which writes were committed.
    if (cause instanceof RemoteError) this.#fail(cause);
    const error = this.#failure ?? new KnowledgeBaseError(
      "internal",
      cause instanceof ThreadError && cause.code === "closed"
        ? "The store was closed before the write was done"
        : "A write could not be sent to the store",
      { cause },
    );
    for (const { reject } of group) reject(error);
  }

  /**
   * The thread has ended before it opened the database, so it has not changed anything. A lack of memory or of
   * disk space can be temporary: the next write starts another thread.
   */
  #failToOpen(cause: unknown): void {
    const error = toKnowledgeBaseError(cause);
    if (error.code === "storage_damaged" || error.code === "read_only") return this.#fail(cause);
    this.#thread = undefined;
    for (const { reject } of this.#gathered.splice(0)) reject(error);
  }

  #fail(cause: unknown): void {
    const fault = storageFault(cause);
    if (!this.#failure) {
      this.#failure = fault ? storageFaultError(fault, cause) : new KnowledgeBaseError(
        "internal",
        "The store's writer has failed, and nothing can be written until kb-mcp is started again",
        { cause },
      );
      this.#options.onFailure?.(this.#failure);
    }
    for (const { reject } of this.#gathered.splice(0)) reject(this.#failure);
    void this.#thread?.terminate();
  }
}

/** Returns the number of calls for the next commit. */
function groupSize(calls: readonly PendingCall[]): number {
  let chunks = 0;
  const end = calls.findIndex(({ operation, args }, index) => {
    const text = operation === "addFile" ? args[1] : args[0];
    if (operation === "addFile" || operation === "finishFile" || operation === "stageChunks") {
      chunks += (text as Pick<IngestedFile, "chunks">).chunks.length;
    }
    return index > 0 && (index >= MAX_GROUP || chunks > MAX_GROUP_CHUNKS);
  });
  return end < 0 ? calls.length : end;
}

/**
 * Records the size and time of a database that was closed completely. The next start trusts a file that has
 * not changed since.
 */
function markClosed(dir: DataDir, file: OpenFile): void {
  try {
    file.assertInPlace();
    if (hasWriteAheadLog(dir)) return;
    const { commit } = CommitMarker.read(dir.marker) ?? { commit: 0 };
    using marker = CommitMarker.open(dir.marker);
    marker.write({ commit, closed: closedFile(dir.database) });
  } catch {
    // The next start checks the whole database.
  }
}

function settle({ resolve, reject }: PendingCall, result: WriteResult | undefined): void {
  if (result && "result" in result) return resolve(result.result);
  const error: SerializedError = result?.error ?? { code: "internal", message: "The write has no result" };
  const { code, message, cause, details } = error;
  const options = cause === undefined ? {} : { cause: new Error(cause) };
  reject(new KnowledgeBaseError(code as KnowledgeBaseError["code"], message, { ...options, details }));
}

/** Whether chunks lack vectors, or outdated vectors must be removed. */
function needsBackfill(db: DatabaseSync, embeddingSet: number): boolean {
  const { embedded, refused, total } = countVectors(db, embeddingSet);
  return embedded + refused < total || hasOlderSets(db, embeddingSet);
}
