import type { DatabaseSync } from "node:sqlite";
import type {
  DeletedDocument,
  Document,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  EngineStatus,
  Job,
  JobPage,
  JobsQuery,
  NotePatch,
  SearchRequest,
  SearchResponse,
  TagChange,
} from "../../contract/mod.ts";
import type { EmbeddingOptions } from "../../embeddings/mod.ts";
import type { ChunkOptions } from "../../extraction/mod.ts";
import type { ThreadPort } from "../../async/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { lazy } from "../../text/mod.ts";
import type { IngestionQueue, KnowledgeBase, NewJob } from "../knowledge_base/mod.ts";
import type { Searcher } from "./search/mod.ts";
import { openSemanticSearch, type SemanticSearch } from "./semantic_search.ts";
import {
  dataDirAt,
  getDocument,
  getJob,
  hasUnfinishedJobs,
  listDocuments,
  listJobs,
  openForReading,
  readStatus,
  spooledFiles,
} from "./store/mod.ts";
import { Writer } from "./writer/mod.ts";

/** Settings of {@linkcode SqliteKnowledgeBase.open}. */
export interface SqliteOptions {
  /** Data directory; created if missing. */
  readonly dataDir: string;
  /** Maximum number of queued jobs. */
  readonly maxQueuedJobs: number;
  /** Chunk sizes for notes. */
  readonly chunk: ChunkOptions;
  /** Embedding model. Unset: full-text search only. */
  readonly embeddings?: EmbeddingOptions;
  /** Maximum memory for vectors, in bytes. Each search reads the remaining vectors from disk. */
  readonly vectorMemoryBytes: number;
  /** Starts the threads. */
  readonly spawn: {
    /** Starts a thread that runs `serve` of writer/thread.ts. */
    readonly writer: () => ThreadPort;
    /** Starts a thread that runs `serve` of vectors/thread.ts. */
    readonly vectors: () => ThreadPort;
  };
  readonly log: Logger;
}

/**
 * The knowledge base over one SQLite database. Reads run on the calling thread, writes and vector scans each
 * on a thread of their own.
 */
export class SqliteKnowledgeBase implements KnowledgeBase {
  readonly queue: IngestionQueue;
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  /** Imported on first use: building its patterns takes as long as the rest of the start. */
  readonly #searcher: () => Promise<Searcher>;
  readonly #semantic: SemanticSearch | undefined;
  readonly #maxQueuedJobs: number;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    { db, writer, semantic, maxQueuedJobs, resources }: {
      db: DatabaseSync;
      writer: Writer;
      semantic: SemanticSearch | undefined;
      maxQueuedJobs: number;
      resources: AsyncDisposableStack;
    },
  ) {
    this.#db = db;
    this.#writer = writer;
    this.#semantic = semantic;
    this.#searcher = lazy(async () => {
      const { Searcher } = await import("./search/mod.ts");
      return new Searcher({ db, vectors: semantic?.search });
    });
    this.#maxQueuedJobs = maxQueuedJobs;
    this.#resources = resources;
    this.queue = ingestionQueue(writer, db);
  }

  /**
   * Opens a data directory and migrates its database if necessary.
   *
   * @throws {DataDirError} When the directory is in use by another process, not writable, of a newer version,
   * or has vectors of another embedding model. The message is for the operator.
   */
  static async open(
    { dataDir, maxQueuedJobs, chunk, embeddings, vectorMemoryBytes, spawn, log }: SqliteOptions,
  ): Promise<SqliteKnowledgeBase> {
    await using resources = new AsyncDisposableStack();
    const writer = resources.use(
      await Writer.start({
        dataDir,
        maxQueuedJobs,
        chunk,
        ...(embeddings && { embeddings }),
        spawn: spawn.writer,
        onEmbedding: ({ error, cause }) => {
          if (error === null) log.info("the embedding model works again");
          else log.warn("cannot use the embedding model", { error, cause });
        },
        onUpgrade: ({ steps, ms }) => {
          if (ms === null) log.info("migrating database, which may take minutes", { steps: steps.join() });
          else log.info("database migrated", { ms });
        },
      }),
    );
    const db = resources.adopt(openForReading(dataDirAt(dataDir)), (each) => each.close());
    const semantic = embeddings && resources.use(
      openSemanticSearch({ dataDir, embeddings, vectorMemoryBytes, writer, db, spawn: spawn.vectors, log }),
    );
    return new SqliteKnowledgeBase({ db, writer, semantic, maxQueuedJobs, resources: resources.move() });
  }

  async warmUp(): Promise<void> {
    this.#writer.warmUp();
    this.#semantic?.warmUp();
    const searcher = await this.#searcher();
    if (!this.#resources.disposed) searcher.warmUp();
  }

  status(): Promise<Omit<EngineStatus, "version">> {
    return Promise.try(() => this.#status());
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    return await (await this.#searcher()).search(request, signal);
  }

  listDocuments(query: DocumentsQuery & { limit: number }): Promise<DocumentPage> {
    return Promise.try(listDocuments, this.#db, query);
  }

  getDocument(id: number, query?: DocumentQuery): Promise<Document | undefined> {
    return Promise.try(getDocument, this.#db, id, query);
  }

  deleteDocument(id: number): Promise<DeletedDocument> {
    return this.#writer.call("deleteDocument", id);
  }

  changeTags(id: number, change: TagChange): Promise<DocumentTags> {
    return this.#writer.call("changeTags", id, change);
  }

  updateNote(id: number, patch: NotePatch): Promise<Document> {
    return this.#writer.call("updateNote", id, patch);
  }

  createJob(job: NewJob): Promise<Job> {
    return this.#writer.call("createJob", job);
  }

  listJobs(query: JobsQuery & { limit: number }): Promise<JobPage> {
    return Promise.try(listJobs, this.#db, query);
  }

  getJob(id: number): Promise<Job | undefined> {
    return Promise.try(getJob, this.#db, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #status(): Omit<EngineStatus, "version"> {
    const { queue, ...counts } = readStatus(this.#db);
    const model = this.#semantic?.status();
    return {
      model: model?.name ?? null,
      device: "cpu",
      ...counts,
      vectors: model?.vectors ?? null,
      queue: { ...queue, limit: this.#maxQueuedJobs },
    };
  }
}

/** The ingestion queue over a writer, with reads on `db`. */
export function ingestionQueue(writer: Pick<Writer, "call">, db: DatabaseSync): IngestionQueue {
  return {
    ingestNotes: (max) => writer.call("ingestNotes", max),
    claimFile: () => writer.call("claimFile"),
    releaseFile: (jobId) => writer.call("releaseFile", jobId),
    reportProgress: (jobId, stage, progress) => writer.call("reportProgress", jobId, stage, progress),
    finishFile: (file) => writer.call("finishFile", file),
    failJob: (jobId, code, message) => writer.call("failJob", jobId, code, message),
    spooledFiles: () => Promise.try(spooledFiles, db),
    hasUnfinishedJobs: () => Promise.try(hasUnfinishedJobs, db),
  };
}
