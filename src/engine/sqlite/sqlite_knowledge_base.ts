import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type {
  DeletedDocument,
  Document,
  DocumentEdit,
  DocumentList,
  DocumentListRequest,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  EditedDocument,
  EngineStatus,
  ImportRequest,
  ImportResult,
  Job,
  JobPage,
  JobsQuery,
  NotePatch,
  RestoredDocument,
  RestoreRequest,
  RevisionPage,
  SearchRequest,
  SearchResponse,
  SimilarNote,
  SimilarRequest,
  TagChange,
  TrashPage,
} from "../../contract/mod.ts";
import {
  type BuiltinModelSettings,
  type EmbeddingOptions,
  type EmbeddingSettings,
  installedModel,
  type ModelFiles,
  ModelSource,
  openModel,
} from "../../embeddings/mod.ts";
import { EncodedJson } from "../../data_structures/mod.ts";
import type { SearchPage } from "../../presentation/mod.ts";
import type { ChunkOptions } from "../../extraction/mod.ts";
import { EarlyThread, type ThreadPort } from "../../async/mod.ts";
import type { Logger, MetricsRegistry } from "../../telemetry/mod.ts";
import {
  type ChangeOptions,
  type DeleteOptions,
  type IngestionQueue,
  type JobWait,
  type KnowledgeBase,
  KnowledgeBaseError,
  type NewJob,
  type PageRange,
  type SourceStore,
  type StorageState,
} from "../knowledge_base/mod.ts";
import type { StoreAccess } from "./store_access.ts";
import { sourceStore } from "./source_store.ts";
import { changeWithText } from "./stage_text.ts";
import { JobWaiters } from "./job_waiters.ts";
import { awaitModel } from "./await_model.ts";
import { type EncodedSearch, localReads, type Reads, SearchThreads } from "./search_threads/mod.ts";
import { SearchCache } from "./search_cache.ts";
import { SemanticSearch } from "./semantic_search.ts";
import { StorageHealth } from "./storage_health.ts";
import {
  checkDatabase,
  containedTotals,
  type DataDir,
  dataDirAt,
  DataDirError,
  DEFAULT_RETENTION,
  getDocument,
  getJob,
  hasQueuedFiles,
  hasUnfinishedJobs,
  hasWriteAheadLog,
  isKnownDocument,
  isMigrated,
  lastDocumentId,
  listDocuments,
  listJobs,
  listRevisions,
  listTrash,
  longVersion,
  openForReading,
  type Operation,
  queryDocuments,
  readSlice,
  readStatus,
  restrictAccess,
  type Retention,
  sharedSnapshot,
  snapshot,
  spooledFiles,
  StatusReader,
  type StoreOperations,
  type StoreStatus,
  timestamp,
  toDataDirError,
} from "./store/mod.ts";
import { UsageCounter } from "./usage_counter.ts";
import { Writer } from "./writer/mod.ts";

/** Maximum number of concurrent comparisons with similar notes. Notes are added one by one, except in imports. */
const MAX_COMPARISONS = 4;

/** Number of documents up to which the calling thread counts them: it takes less than 20 ms. */
const MANY_COUNTED = 50_000;

/** Number of documents up to which the calling thread lists them: it takes less than 20 ms. */
const MANY_DOCUMENTS = 10_000;

/** Settings of {@linkcode SqliteKnowledgeBase.open}. */
export interface SqliteOptions {
  /** Data directory; created if missing. */
  readonly dataDir: string;
  /** Maximum number of queued jobs. */
  readonly maxQueuedJobs: number;
  /** Number of ended jobs to keep. @default {10_000} */
  readonly keptJobs?: number;
  /** How long former versions and deleted documents are kept. @default {DEFAULT_RETENTION} */
  readonly retention?: Retention;
  /** Chunk sizes for notes. */
  readonly chunk: ChunkOptions;
  /** Embedding model. Unset: full-text search only. */
  readonly embeddings?: EmbeddingSettings;
  /** Files of the built-in model. @default the installed ones */
  readonly modelFiles?: ModelFiles;
  /** Data directory with the installed models. @default dataDir */
  readonly modelDataDir?: string;
  /** Maximum memory for vectors, in bytes. Each search reads the remaining vectors from disk. */
  readonly vectorMemoryBytes: number;
  /** Maximum number of threads for searches; 0: the calling thread searches. @default {0} */
  readonly searchThreads?: number;
  /** Starts the threads. */
  readonly spawn: {
    /** Starts a thread that runs `serve` of search_threads/thread.ts. */
    readonly search: () => ThreadPort;
    /** Starts a thread that runs `serve` of writer/thread.ts. */
    readonly writer: () => ThreadPort;
    /** Starts a thread that runs `serve` of vectors/thread.ts, or connects to one. */
    readonly vectors: () => ThreadPort;
    /** Starts a thread that runs `serveEncoder`, for documents. */
    readonly encoder: () => ThreadPort;
    /** Starts such a thread for a core that nothing else uses. */
    readonly spareEncoder: () => ThreadPort;
    /** Starts the one for queries, or connects to it. */
    readonly queryEncoder: () => ThreadPort;
  };
  /** Receives metrics of writes and embeddings. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  readonly log: Logger;
}

/**
 * The knowledge base over one SQLite database. Short reads run on the calling thread, searches in threads, writes and
 * vector scans each on a thread of their own.
 */
export class SqliteKnowledgeBase implements KnowledgeBase {
  readonly queue: IngestionQueue;
  readonly sources: SourceStore;
  readonly #db: DatabaseSync;
  readonly #statusReader: StatusReader;
  readonly #writer: Writer;
  readonly #searches: Reads;
  readonly #searchCache: SearchCache;
  /** Runs lists of many documents, which may take seconds: searches do not wait for them. */
  readonly #lists: Reads | undefined;
  readonly #semantic: SemanticSearch | undefined;
  readonly #usage: UsageCounter;
  readonly #jobWaiters: JobWaiters;
  readonly #maxQueuedJobs: number;
  readonly #retention: Retention;
  readonly #health: StorageHealth;
  readonly #resources: AsyncDisposableStack;
  /** Number of comparisons with similar notes in progress. */
  #comparisons = 0;

  private constructor(
    { db, searches, lists, writer, health, semantic, usage, jobWaiters, maxQueuedJobs, retention, resources }:
      {
        db: DatabaseSync;
        searches: Reads;
        lists: Reads | undefined;
        writer: Writer;
        health: StorageHealth;
        semantic: SemanticSearch | undefined;
        usage: UsageCounter;
        jobWaiters: JobWaiters;
        maxQueuedJobs: number;
        retention: Retention;
        resources: AsyncDisposableStack;
      },
  ) {
    this.#db = db;
    this.#statusReader = new StatusReader(
      db,
      () =>
        lists && lastDocumentId(db) > MANY_COUNTED
          ? lists.run("status", undefined)
          : snapshot(db, () => readStatus(db)),
    );
    this.#writer = writer;
    this.#semantic = semantic;
    this.#usage = usage;
    this.#jobWaiters = jobWaiters;
    this.#searches = searches;
    this.#searchCache = new SearchCache({
      db,
      now: timestamp,
      missingModel: () => semantic ? semantic.missingModel : "",
    });
    this.#lists = lists;
    this.#maxQueuedJobs = maxQueuedJobs;
    this.#retention = retention;
    this.#health = health;
    this.#resources = resources;
    const store: StoreAccess = {
      write: (operation, ...args) => this.#write(operation, ...args),
      read: (work) => health.read(() => snapshot(db, () => work(db))),
    };
    this.queue = ingestionQueue(store);
    this.sources = sourceStore(store);
  }

  /** Whether the disk was read-only at the start. Reads work. */
  get isReadOnly(): boolean {
    return this.#health.state === "read_only";
  }

  /**
   * Opens a data directory and migrates its database if necessary.
   *
   * @throws {DataDirError} When the directory is in use by another process, not writable, of a newer version,
   * or has vectors of another embedding model. The message is for the operator.
   */
  static async open(options: SqliteOptions): Promise<SqliteKnowledgeBase> {
    const { dataDir, maxQueuedJobs, chunk, embeddings, vectorMemoryBytes, spawn, log } = options;
    const { keptJobs, retention = DEFAULT_RETENTION } = options;
    await using resources = new AsyncDisposableStack();
    const dir = dataDirAt(dataDir);
    reportAccess(dir, log);
    const source = embeddings?.type === "builtin" ? modelSource(embeddings, options) : undefined;
    const settings = embeddings?.type === "api" ? embeddings : await source?.find();
    // Before the writer, so that the writer is closed first and its backfill does not fail.
    const models = resources.use(new AsyncDisposableStack());
    const effects = {
      spawn: spawn.encoder,
      spawnSpare: spawn.spareEncoder,
      spawnQueries: spawn.queryEncoder,
    };
    const open = (each: EmbeddingOptions) => models.use(openModel(each, effects));
    const model = settings && open(settings);
    const jobWaiters = new JobWaiters();
    const { searchThreads: max = 0 } = options;
    // The thread loads its modules while the writer opens the database. First, since nothing would unlock the data
    // directory if it cannot be started.
    const searchThread = max > 0 ? resources.use(new EarlyThread(spawn.search)) : undefined;
    const writer = resources.use(
      await Writer.start({
        dataDir,
        maxQueuedJobs,
        ...(keptJobs !== undefined && { keptJobs }),
        retention,
        chunk,
        ...(settings && model && { embeddings: settings, model }),
        spawn: spawn.writer,
        ...(options.metrics && { metrics: options.metrics }),
        onJobsEnded: (ids) => jobWaiters.notify(ids),
        onEmbedding: ({ error, cause }) => {
          if (error === null) log.info("the embedding model works again");
          else log.warn("cannot use the embedding model", { error, cause });
        },
        onFailure: (error) =>
          log.error("the writer has failed, and nothing is stored until a restart", { error }),
        onUpgrade: ({ steps, ms }) => {
          if (ms === null) log.info("migrating database, which may take minutes", { steps: steps.join() });
          else log.info("database migrated", { ms });
        },
      }),
    );
    const isReadOnly = writer.failure?.code === "read_only";
    if (isReadOnly) {
      log.warn("the disk is read-only: searching works, and every change is rejected", { data_dir: dataDir });
    }
    const reader = isReadOnly ? openReadOnlyDisk(dir) : openForReading(dir);
    const db = resources.adopt(reader, (each) => each.close());
    const health = new StorageHealth({
      dataDir,
      isReadOnly,
      log,
      onDamage: (error) => writer.refuse(error),
    });
    const semantic = embeddings && resources.use(
      new SemanticSearch({
        dataDir,
        name: embeddings.type === "api" ? embeddings.model : source?.name ?? embeddings.model,
        problem: () => source?.problem ?? "The embedding model is missing",
        vectorMemoryBytes,
        writer,
        db,
        spawn: spawn.vectors,
        log,
      }),
    );
    const threads = { dataDir, spawn: () => searchThread?.take() ?? spawn.search() };
    const local = localReads({ db, vectors: semantic });
    const searches = max === 0
      ? local
      : resources.use(new SearchThreads({ ...threads, max, vectors: semantic }));
    // The thread loads its data while the server starts. Damage is reported by the requests that need the data.
    if (max > 0) await searches.warmUp();
    const lists = max === 0 ? undefined : resources.use(
      new SearchThreads({ ...threads, spawn: spawn.search, max: 1, keepsOne: false, warmsUp: false }),
    );
    // After the writer, so that the last counts are stored before it closes.
    const usage = resources.use(
      new UsageCounter({ store: (uses) => writer.call("addUses", uses), now: timestamp }),
    );
    if (settings && model) semantic?.useModel(settings, model);
    else if (source && semantic) resources.use(awaitModel(source, { open, writer, semantic, log }));
    return new SqliteKnowledgeBase({
      db,
      searches,
      lists,
      writer,
      health,
      semantic,
      usage,
      jobWaiters,
      maxQueuedJobs,
      retention,
      resources: resources.move(),
    });
  }

  async warmUp(): Promise<void> {
    this.#writer.warmUp();
    this.#semantic?.warmUp();
    // Damage that the warm-up finds is reported by the requests that need the data.
    await this.#health.read(() => this.#searches.warmUp()).catch(() => {});
  }

  get needsRestart(): boolean {
    // Damage would prevent the next start.
    return this.#writer.failure !== undefined && this.#health.state === "ok";
  }

  async storageState(): Promise<StorageState> {
    // Finds damage before a request does. Reported by the state.
    await this.#readSnapshot(() => lastDocumentId(this.#db)).catch(() => {});
    const state = await this.#health.check();
    return this.needsRestart ? "writer_failed" : state;
  }

  async status(): Promise<Omit<EngineStatus, "version">> {
    const state = await this.storageState();
    const counts = await this.#read(() => this.#statusReader.read());
    return await this.#readSnapshot(() => this.#status(state, counts));
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<EncodedJson<SearchResponse>> {
    const json = await this.#search(request, () => this.#searches.run("search", request, signal));
    return new EncodedJson(json);
  }

  searchPage(request: SearchRequest, today: string, signal?: AbortSignal): Promise<SearchPage> {
    const input = { request, today };
    return this.#search(input, () => this.#searches.run("searchPage", input, signal));
  }

  async #search<T>(input: unknown, search: () => Promise<EncodedSearch<T>>): Promise<T> {
    const { response, documents } = await this.#read(() => this.#searchCache.search(input, search));
    this.#usage.count(documents);
    return response;
  }

  listDocuments(query: DocumentsQuery & { limit: number }): Promise<DocumentPage> {
    return this.#readSnapshot(() => listDocuments(this.#db, query));
  }

  async queryDocuments(
    request: z.output<typeof DocumentListRequest>,
    signal?: AbortSignal,
  ): Promise<DocumentList> {
    if (request.sort === "used") await this.#usage.flush();
    return await this.#read(async () => {
      const lists = lastDocumentId(this.#db) > MANY_DOCUMENTS ? this.#lists : undefined;
      return lists
        ? await lists.run("queryDocuments", request, signal)
        : snapshot(this.#db, () => queryDocuments(this.#db, request));
    });
  }

  async getDocument(id: number, query?: DocumentQuery): Promise<Document | undefined> {
    // Agents ask for documents that are gone: one statement instead of several.
    const mayExist = () => query?.version !== undefined || isKnownDocument(this.#db, id);
    const document = await this.#readSnapshot(() =>
      mayExist() ? getDocument(this.#db, id, query) : undefined
    );
    // Without chunks, a program looks up tags or a version.
    if (document?.chunks && query?.version === undefined) this.#usage.count([id]);
    return document;
  }

  deleteDocument(id: number, options?: DeleteOptions): Promise<DeletedDocument> {
    return this.#write("deleteDocument", id, options);
  }

  listRevisions(id: number, query: PageRange): Promise<RevisionPage> {
    return this.#readSnapshot(() => listRevisions(this.#db, id, query));
  }

  listTrash(query: PageRange): Promise<TrashPage> {
    const { trashDays } = this.#retention;
    return this.#readSnapshot(() => listTrash(this.#db, { ...query, trashDays }));
  }

  async restoreDocument(
    id: number,
    request: RestoreRequest,
    options?: ChangeOptions,
  ): Promise<RestoredDocument> {
    const long = await this.#readSnapshot(() => longVersion(this.#db, id, request.version));
    if (!long) return await this.#write("restoreDocument", id, request, options);
    const { version, title } = long;
    const read = (from: number, limit: number) =>
      this.#readSnapshot(() => readSlice(this.#db, { documentId: id, version, from, limit }));
    return await changeWithText(
      (operation, ...args) => this.#write(operation, ...args),
      { title, read },
      (contentId) =>
        this.#write("restoreDocument", id, request, { ...options, staged: { version, contentId } }),
    );
  }

  changeTags(id: number, change: TagChange, options?: ChangeOptions): Promise<DocumentTags> {
    return this.#write("changeTags", id, change, options);
  }

  updateNote(id: number, patch: NotePatch, options?: ChangeOptions): Promise<Document> {
    return this.#write("updateNote", id, patch, options);
  }

  editDocument(id: number, edit: DocumentEdit, options?: ChangeOptions): Promise<EditedDocument> {
    return this.#write("editDocument", id, edit, options);
  }

  importDocuments(
    request: z.output<typeof ImportRequest>,
    options?: Pick<ChangeOptions, "actor">,
  ): Promise<ImportResult[]> {
    return this.#write("importDocuments", request, options);
  }

  async similarNotes(request: SimilarRequest, signal?: AbortSignal): Promise<SimilarNote[]> {
    if (this.#comparisons >= MAX_COMPARISONS) return [];
    this.#comparisons++;
    try {
      return await this.#read(() => this.#searches.run("similarNotes", request, signal));
    } finally {
      this.#comparisons--;
    }
  }

  createJob(job: NewJob): Promise<Job> {
    return this.#write(job.text === undefined ? "createJob" : "addNote", job);
  }

  listJobs(query: JobsQuery & { limit: number }): Promise<JobPage> {
    return this.#readSnapshot(() => listJobs(this.#db, query));
  }

  async getJob(id: number, wait?: JobWait): Promise<Job | undefined> {
    const read = () => this.#getJob(id);
    return await (wait === undefined ? read() : this.#jobWaiters.wait(id, read, wait));
  }

  #getJob(id: number): Promise<Job | undefined> {
    return this.#readSnapshot(() => {
      const job = getJob(this.#db, id);
      if (job?.status !== "done" || typeof job.document_id !== "number") return job;
      // Full text already finds the document.
      const work = this.#semantic?.vectorWork(job.document_id);
      return work ? { ...job, work } : job;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #read<T>(work: () => Promise<T>): Promise<T> {
    return this.#health.read(work);
  }

  #readSnapshot<T>(work: () => T): Promise<T> {
    return this.#health.read(() => sharedSnapshot(this.#db, work));
  }

  #write<Op extends Operation>(
    operation: Op,
    ...args: Parameters<StoreOperations[Op]>
  ): Promise<ReturnType<StoreOperations[Op]>> {
    // Unlike the writes that were in progress, this one is certainly not made.
    if (this.needsRestart) {
      return Promise.reject(
        new KnowledgeBaseError(
          "read_only",
          "The engine's writer has failed. Nothing was changed: tell the operator, who must restart the engine",
        ),
      );
    }
    return this.#health.write(() => this.#writer.call(operation, ...args));
  }

  #status(state: StorageState, store: StoreStatus): Omit<EngineStatus, "version"> {
    const { queue, storage, ...counts } = store;
    const model = this.#semantic?.status();
    return {
      model: model?.name ?? null,
      device: "cpu",
      ...counts,
      vectors: model?.vectors ?? null,
      queue: { ...queue, limit: this.#maxQueuedJobs },
      storage: { state, ...storage },
    };
  }
}

function modelSource(
  settings: BuiltinModelSettings,
  { modelFiles, dataDir, modelDataDir = dataDir, log }: SqliteOptions,
): ModelSource {
  return new ModelSource({
    settings,
    files: modelFiles ?? installedModel(settings, { dataDir: modelDataDir, log }),
    onProblem: (error) => log.warn("searching full text only", { error }),
  });
}

/** The ingestion queue of a store. */
export function ingestionQueue({ write, read }: StoreAccess): IngestionQueue {
  return {
    ingestNotes: (max) => write("ingestNotes", max),
    addFile: (job, document) => write("addFile", job, document),
    claimFiles: (options) => write("claimFiles", options),
    releaseFile: (jobId) => write("releaseFile", jobId),
    postponeFile: (jobId) => write("postponeFile", jobId),
    reportProgress: (jobId, progress) => write("reportProgress", jobId, progress),
    stageChunks: (chunks) => write("stageChunks", chunks),
    finishFile: (file) => write("finishFile", file),
    finishArchive: (archive) => write("finishArchive", archive),
    containedTotals: (jobId) => read((db) => containedTotals(db, jobId)),
    failJob: (jobId, code, message) => write("failJob", jobId, code, message),
    cancelJob: (jobId) => write("cancelJob", jobId),
    retryJob: (jobId) => write("retryJob", jobId),
    spooledFiles: () => read(spooledFiles),
    hasQueuedFiles: () => read(hasQueuedFiles),
    hasUnfinishedJobs: () => read(hasUnfinishedJobs),
  };
}

function reportAccess(dir: DataDir, log: Logger): void {
  const { tightened, isWritableByOthers } = restrictAccess(dir);
  if (tightened.length > 0) {
    log.info("made files accessible to their owner only", { files: tightened.join() });
  }
  if (isWritableByOthers) {
    log.warn("other users may add and remove files in the data directory: chmod go-w", {
      data_dir: dir.path,
    });
  }
}

/** Opens a database on a disk that is mounted read-only, and checks it. */
function openReadOnlyDisk(dir: DataDir): DatabaseSync {
  const location = `KB_DATA_DIR ${JSON.stringify(dir.path)} is on a read-only disk`;
  try {
    checkDatabase(dir);
    if (!isMigrated(dir)) {
      throw new DataDirError(
        `${location}, and kb.db is of an older version: make the disk writable to migrate it`,
      );
    }
    return openForReading(dir);
  } catch (error) {
    const cause = toDataDirError(error, dir);
    if (!/Cannot open kb\.db .*check that/.test(cause.message)) throw cause;
    // SQLite reads a log only with shared memory, which it cannot create here, as after the end of an older version.
    const problem = hasWriteAheadLog(dir)
      ? "kb.db has a write-ahead log, which only a start on a writable disk can apply: make it writable"
      : "kb.db lacks kb.db-wal and kb.db-shm, without which it cannot be read there: make the disk writable, then " +
        "start and stop kb-mcp once, which leaves them";
    throw new DataDirError(`${location}, and ${problem}`, { cause });
  }
}
