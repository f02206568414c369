import type { DatabaseSync } from "node:sqlite";
import { type EmbeddingOptions, identityOf, reindexCommand } from "../../../embeddings/mod.ts";
import {
  claimEmbeddingSet,
  countVectors,
  createDataDir,
  hasOlderSets,
  inTransaction,
  lockDataDir,
  openForWriting,
  type Operation,
  type StoreOperations,
  timestamp,
  type Upgrade,
} from "../store/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { Answer, Call, EmbeddingState, Reply, Request, WriterSettings } from "./protocol.ts";

/** Most calls in one commit. */
const MAX_GROUP = 256;

/** Most calls that may be under way when the options do not say. */
const MAX_CALLS = 4096;

/** How long {@linkcode Writer.close} waits for writes, in milliseconds: indexing a book is one write, and takes longer. */
const CLOSE_MS = 3000;

/** Settings of {@linkcode Writer.start}. */
export interface WriterOptions extends WriterSettings {
  /** Starts a thread that runs `serve` of host.ts. */
  readonly spawn: () => Worker;
  /** Calls that may be under way at once; further ones are refused. Default: 4096. */
  readonly maxCalls?: number;
  /** Told when the embedding model begins to fail, and when it works again. */
  readonly onEmbedding?: (state: EmbeddingState) => void;
  /** Told before and after data of an older version are brought up to date. */
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

type Pending = Call & PromiseWithResolvers<unknown>;

/**
 * The main thread's end of the writer: owns the data directory's lock and the thread that does every write.
 *
 * While one group of calls is being committed the next one gathers, so the busier it gets, the more calls share a sync of the
 * disk; a call that comes alone is sent at once.
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
  /** The set of vectors that is served and added to; undefined: no embeddings. */
  readonly embeddingSet: number | undefined;
  readonly #settings: WriterSettings;
  readonly #spawn: () => Worker;
  readonly #onEmbedding: (state: EmbeddingState) => void;
  #embeddingState: EmbeddingState = { error: null };
  /** Started by the first write, or before by {@linkcode Writer.warmUp}. */
  #worker: Worker | undefined;
  #isOpen = false;
  /** The database, open on this thread until it is on the other one. */
  #prepared: DatabaseSync | undefined;
  readonly #lock: Disposable;
  readonly #maxCalls: number;
  #waiting: Pending[] = [];
  #sent = new Map<number, Pending>();
  #nextId = 1;
  #flushing = false;
  #failure: KnowledgeBaseError | undefined;
  #closed: Promise<void> | undefined;
  /** Called when nothing is under way any more. */
  #onIdle: (() => void) | undefined;

  private constructor(
    settings: WriterSettings,
    prepared: DatabaseSync,
    lock: Disposable,
    { spawn, maxCalls, onEmbedding, embeddingSet }: {
      spawn: () => Worker;
      maxCalls: number;
      onEmbedding: (state: EmbeddingState) => void;
      embeddingSet: number | undefined;
    },
  ) {
    this.embeddingSet = embeddingSet;
    this.#onEmbedding = onEmbedding;
    this.#settings = settings;
    this.#spawn = spawn;
    this.#prepared = prepared;
    this.#lock = lock;
    this.#maxCalls = maxCalls;
  }

  /**
   * Creates the data directory where it is missing, takes it for this process, and opens, creates or migrates its
   * database: on this thread, so that what is wrong is known at once. The thread that writes takes longer to load than all
   * the rest of the program; it is started later, if there is nothing to embed.
   *
   * @throws {DataDirError} When the directory is in use, cannot be written, has a database that cannot be used, or vectors of
   * another embedding model.
   */
  static async start(
    { spawn, maxCalls = MAX_CALLS, onEmbedding = () => {}, onUpgrade, ...settings }: WriterOptions,
  ): Promise<Writer> {
    const dir = await createDataDir(settings.dataDir);
    using undo = new DisposableStack();
    const lock = undo.use(lockDataDir(dir));
    const db = undo.adopt(openForWriting(dir, timestamp, onUpgrade), (each) => each.close());
    const embeddingSet = settings.embeddings && claim(db, settings.dataDir, settings.embeddings);
    const writer = new Writer(settings, db, lock, { spawn, maxCalls, onEmbedding, embeddingSet });
    if (embeddingSet !== undefined && hasUpkeep(db, embeddingSet)) writer.warmUp();
    undo.move();
    return writer;
  }

  /** How the making of vectors goes. */
  get embeddingState(): EmbeddingState {
    return this.#embeddingState;
  }

  /** Starts the thread now, which the first write would have to wait for. */
  warmUp(): void {
    if (!this.#closed) this.#startThread();
  }

  #startThread(): void {
    if (this.#worker) return;
    const worker = this.#worker = this.#spawn();
    worker.onmessage = ({ data: reply }: MessageEvent<Reply>) => {
      switch (reply.type) {
        case "ready":
          return this.#post({ type: "open", settings: this.#settings, embeddingSet: this.embeddingSet });
        case "opened":
          return this.#opened();
        case "refused":
          return this.#fail(reply.cause === undefined ? reply.message : `${reply.message}: ${reply.cause}`);
        case "answers":
          return this.#settle(reply.answers);
        case "embedding":
          this.#embeddingState = reply.state;
          return this.#onEmbedding(reply.state);
      }
    };
    worker.onerror = (event) => {
      // Otherwise Deno takes the whole process down with it.
      event.preventDefault();
      this.#fail(event.message);
    };
  }

  #opened(): void {
    this.#prepared?.close();
    this.#prepared = undefined;
    this.#isOpen = true;
    this.#goOn();
  }

  /**
   * Does one write. Resolves when it is on disk.
   *
   * @throws {KnowledgeBaseError} What the operation throws; `queue_full` when too many calls are under way; `storage_full` when the
   * disk is; `internal` when the writer has failed or is closed.
   */
  call<Op extends Operation>(
    op: Op,
    ...args: Parameters<StoreOperations[Op]>
  ): Promise<ReturnType<StoreOperations[Op]>> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#closed) return Promise.reject(new KnowledgeBaseError("internal", "The store is closed"));
    if (this.#waiting.length + this.#sent.size >= this.#maxCalls) {
      return Promise.reject(new KnowledgeBaseError("queue_full", "The store is busy: try again in a moment"));
    }
    const call: Pending = { id: this.#nextId++, op, args, ...Promise.withResolvers() };
    this.#waiting.push(call);
    this.#flushSoon();
    return call.promise as Promise<ReturnType<StoreOperations[Op]>>;
  }

  /** Finishes what was called, closes the database, ends the thread and gives the data directory back. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The same as {@linkcode Writer.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const overdue = new Promise<void>((resolve) => timer = setTimeout(resolve, CLOSE_MS));
    await Promise.race([this.#drain(), overdue]);
    clearTimeout(timer);
    // In the middle of a transaction too: SQLite undoes what was not committed, and its job starts anew with the next start.
    this.#worker?.terminate();
    this.#prepared?.close();
    if (this.#waiting.length + this.#sent.size > 0) this.#fail("closed before the write was done");
    this.#lock[Symbol.dispose]();
  }

  async #drain(): Promise<void> {
    if (this.#waiting.length + this.#sent.size > 0) {
      await new Promise<void>((resolve) => this.#onIdle = resolve);
    }
    const worker = this.#worker;
    if (!worker) return;
    if (!this.#isOpen && !this.#failure) await new Promise<void>((resolve) => this.#onIdle = resolve);
    if (this.#failure) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      worker.onmessage = ({ data: reply }: MessageEvent<Reply>) => {
        if (reply.type === "closed") resolve();
      };
      this.#post({ type: "close" });
    });
  }

  /** Calls that are made in the same turn of the event loop go together. */
  #flushSoon(): void {
    if (this.#flushing || this.#sent.size > 0) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#startThread();
    if (!this.#isOpen || this.#failure || this.#sent.size > 0 || this.#waiting.length === 0) return;
    const group = this.#waiting.splice(0, MAX_GROUP);
    this.#sent = new Map(group.map((call) => [call.id, call]));
    try {
      this.#post({ type: "batch", calls: group.map(({ id, op, args }) => ({ id, op, args })) });
    } catch (cause) {
      // An argument that cannot be cloned: a bug of the caller's, and nothing was sent.
      this.#settleAll(
        new KnowledgeBaseError("internal", "A write could not be sent to the store", { cause }),
      );
    }
  }

  #settle(answers: readonly Answer[]): void {
    for (const answer of answers) {
      const call = this.#sent.get(answer.id);
      this.#sent.delete(answer.id);
      if (!call) continue;
      if ("result" in answer) call.resolve(answer.result);
      else {
        const { code, message, cause } = answer.error;
        call.reject(
          new KnowledgeBaseError(code, message, cause === undefined ? {} : { cause: new Error(cause) }),
        );
      }
    }
    this.#goOn();
  }

  #settleAll(error: KnowledgeBaseError): void {
    for (const call of this.#sent.values()) call.reject(error);
    this.#sent.clear();
    this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting.length > 0) this.#flush();
    else if (this.#sent.size === 0) this.#onIdle?.();
  }

  #fail(message: string): void {
    this.#failure ??= new KnowledgeBaseError(
      "internal",
      "The store's writer has failed, and nothing can be written until kb-mcp is started again",
      { cause: new Error(message) },
    );
    for (const call of this.#waiting.splice(0)) call.reject(this.#failure);
    this.#settleAll(this.#failure);
  }

  #post(request: Request): void {
    this.#worker?.postMessage(request);
  }
}

function claim(db: DatabaseSync, dataDir: string, embeddings: EmbeddingOptions): number {
  const command = reindexCommand(dataDir, embeddings);
  return inTransaction(
    db,
    () => claimEmbeddingSet(db, identityOf(embeddings), { command, now: timestamp() }),
  );
}

/** Whether chunks wait for vectors, or vectors of another model for their removal. */
function hasUpkeep(db: DatabaseSync, embeddingSet: number): boolean {
  const { embedded, refused, total } = countVectors(db, embeddingSet);
  return embedded + refused < total || hasOlderSets(db, embeddingSet);
}
