import type { DatabaseSync } from "node:sqlite";
import { languagesOf, loadDetector, loadLanguages } from "../../../analysis/mod.ts";
import { serializeError, serveThread, type ThreadChannel, type ThreadService } from "../../../async/mod.ts";
import type * as z from "zod";
import type { DocumentEdit, ImportRequest } from "../../../contract/mod.ts";
import type { FileChunks, IngestedFile, NewSourceDocument } from "../../knowledge_base/mod.ts";
import type { EmbeddingIdentity, EmbeddingOptions } from "../../../embeddings/mod.ts";
import { loadFrontMatter, mayHaveFrontMatter } from "../../../extraction/notes/mod.ts";
import type { EngineBackfill } from "../backfill/mod.ts";
import {
  adaptCheckpoints,
  analysisStep,
  closeForWriting,
  columnsStep,
  CommitMarker,
  contentStep,
  dataDirAt,
  DEFAULT_RETENTION,
  freePagesStep,
  hasColumnsToExtend,
  hasContentToRemove,
  OpenFile,
  openForWriting,
  OtherModelError,
  purgeStep,
  queuedNotesMayHaveFrontMatter,
  removeDamagedColumns,
  removeOlderSets,
  type Retention,
  retentionStep,
  servingSet,
  stemmedLanguages,
  StoreOperations,
  timestamp,
  toKnowledgeBaseError,
} from "../store/mod.ts";
import { commitGroup } from "./commit_group.ts";
import type {
  WriteCall,
  WriterNotice,
  WriterRequest,
  WriterResponse,
  WriterThreadSettings,
} from "./protocol.ts";
import type { RemoteModel } from "./remote_model.ts";
import { SymbolLearning } from "./symbol_learning.ts";
import { VectorMaintenance } from "./vector_maintenance.ts";

/** Time without a write until maintenance begins, in milliseconds. */
const IDLE_MS = 1000;

/**
 * Time between two steps that remove a long text or extend the columns of chunks, in milliseconds: writes that follow
 * each other run meanwhile.
 */
const STEP_MS = 20;

/** Time between checks for former versions and deleted documents that are kept no longer, in milliseconds. */
const RETENTION_CHECK_MS = 60 * 60 * 1000;

/** Time until maintenance that failed is tried again, in milliseconds. */
const MAINTENANCE_RETRY_MS = 60 * 1000;

/** Maximum number of outdated vectors that one maintenance step removes; takes a few milliseconds. */
const MAX_REMOVED_VECTORS = 200;

/** Number of commits after which the interval of checkpoints is adapted to the size of the database. */
const CHECKPOINT_COMMITS = 16;

const TRUNCATE_WAL = "PRAGMA wal_checkpoint(TRUNCATE)";

/** Runs the writer thread. */
export function serve(channel: ThreadChannel): void {
  serveThread(
    channel,
    (settings: WriterThreadSettings, notify: (notice: WriterNotice) => void) =>
      new WriterService(settings, notify),
  );
}

class WriterService implements ThreadService<WriterRequest, WriterResponse> {
  readonly #dataDir: string;
  readonly #notify: (notice: WriterNotice) => void;
  readonly #db: DatabaseSync;
  readonly #operations: StoreOperations;
  readonly #vectors: VectorMaintenance;
  readonly #symbols: SymbolLearning;
  readonly #marker: CommitMarker;
  readonly #file: OpenFile;
  readonly #retention: Retention;
  /** Whether notes queued before the start may have front matter. */
  readonly #hadFrontMatter: boolean;
  #embeddingSet: number | undefined;
  #identity: EmbeddingIdentity | undefined;
  #backfill: EngineBackfill | undefined;
  /** The built-in model. */
  #remoteModel: RemoteModel | undefined;
  /** Whether the tables of languages are loaded. */
  #hasLanguages = false;
  #isClosed = false;
  #maintenanceTimer: ReturnType<typeof setTimeout> | undefined;
  #stepTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    settings: WriterThreadSettings,
    notify: (notice: WriterNotice) => void,
  ) {
    const { dataDir, chunk, maxQueuedJobs, keptJobs, retention = DEFAULT_RETENTION } = settings;
    const { embeddings, embeddingSet, databaseIdentity } = settings;
    this.#dataDir = dataDir;
    this.#retention = retention;
    this.#notify = notify;
    const dir = dataDirAt(dataDir);
    this.#file = new OpenFile(dir.database, databaseIdentity);
    this.#file.assertInPlace();
    // Otherwise a transaction that fails would keep its lock until the thread has ended.
    using undo = new DisposableStack();
    this.#db = undo.adopt(openForWriting(dir, timestamp), (db) => db.close());
    this.#vectors = new VectorMaintenance(this.#db);
    this.#symbols = new SymbolLearning(this.#db);
    this.#marker = undo.use(CommitMarker.open(dir.marker));
    this.#operations = new StoreOperations(this.#db, {
      chunk,
      maxQueuedJobs,
      ...(keptJobs !== undefined && { keptJobs }),
      now: timestamp,
      retention,
    });
    this.#db.exec("BEGIN IMMEDIATE");
    this.#operations.recover();
    removeDamagedColumns(this.#db);
    this.#db.exec("COMMIT");
    this.#hadFrontMatter = queuedNotesMayHaveFrontMatter(this.#db);
    if (embeddings) void this.#startBackfill(embeddings, embeddingSet);
    this.#scheduleMaintenance(IDLE_MS);
    // Maintenance repeats it.
    ignoreErrors(() => this.#scheduleStep());
    undo.move();
  }

  async handle(request: WriterRequest): Promise<WriterResponse> {
    if ("type" in request) {
      if (request.type === "model") await this.#useModel(request.embeddings);
      else this.#remoteModel?.settle(request);
      return { results: [], endedJobs: [] };
    }
    return await this.#write(request);
  }

  async #write(calls: readonly WriteCall[]): Promise<WriterResponse> {
    try {
      await this.#loadFor(calls);
      this.#file.assertInPlace();
    } catch (cause) {
      // Nothing is written yet, and memory may be short for a moment only.
      const error = serializeError(toKnowledgeBaseError(cause));
      return { results: calls.map(() => ({ error })), endedJobs: [] };
    }
    const endedJobs: number[] = [];
    const results = commitGroup(this.#db, this.#operations, calls, (commit) => {
      endedJobs.push(...this.#operations.takeEndedJobs());
      // The database grows by little per commit, and the size is a query.
      if (commit % CHECKPOINT_COMMITS === 0) adaptCheckpoints(this.#db);
      this.#scheduleMaintenance(IDLE_MS);
      this.#backfill?.wake();
      this.#marker.write({ commit, closed: undefined });
      this.#scheduleStep();
    });
    return { results, endedJobs };
  }

  /** Loads the code that calls need on demand, since a transaction cannot wait for it. */
  async #loadFor(calls: readonly WriteCall[]): Promise<void> {
    if (this.#mayReadFrontMatter(calls)) await loadFrontMatter();
    const mayNeedTables = () => calls.some((call) => this.#needsLanguages(call));
    if (this.#hasLanguages || !mayNeedTables()) return;
    await loadDetector();
    // Most short notes in English have no stems: their store never needs the stemmers.
    if (!mayNeedTables()) return;
    await loadLanguages();
    this.#hasLanguages = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#maintenanceTimer);
    clearTimeout(this.#stepTimer);
    this.#vectors[Symbol.dispose]();
    await this.#backfill?.[Symbol.asyncDispose]();
    ignoreErrors(() => this.#db.exec("PRAGMA optimize"));
    closeForWriting(this.#db, dataDirAt(this.#dataDir));
    this.#marker[Symbol.dispose]();
  }

  /** Claims the vectors of a model that became available after the start, and fills them. */
  async #useModel(embeddings: EmbeddingOptions): Promise<void> {
    const { claimSet } = await import("./embedding_set.ts");
    if (this.#isClosed) return;
    try {
      void this.#startBackfill(embeddings, claimSet(this.#db, this.#dataDir, embeddings));
    } catch (error) {
      if (!(error instanceof OtherModelError)) throw error;
      this.#notify({ type: "state", state: { error: error.message, otherModel: error.model } });
      void this.#startBackfill(embeddings, undefined);
    }
  }

  /** @param setId Undefined: the vectors are of another model, until kb-mcp reindex has made new ones. */
  async #startBackfill(embeddings: EmbeddingOptions, setId: number | undefined): Promise<void> {
    this.#embeddingSet = setId;
    // Loaded on demand: the first writes do not need them, and an engine without a model never does.
    const [{ ApiModel, identityOf }, { RemoteModel }, { startBackfill }] = await Promise.all([
      import("../../../embeddings/mod.ts"),
      import("./remote_model.ts"),
      import("../backfill/mod.ts"),
    ]);
    if (this.#isClosed) return;
    this.#identity = identityOf(embeddings);
    // Maintenance that ran before could not remove older sets.
    this.#scheduleMaintenance(IDLE_MS);
    const model = embeddings.type === "api"
      ? new ApiModel(embeddings)
      : this.#remoteModel = new RemoteModel(this.#notify);
    this.#backfill = startBackfill({
      db: this.#db,
      setId,
      dataDir: this.#dataDir,
      embeddings,
      model,
      onEmbedding: (state) => this.#notify({ type: "state", state }),
      onStored: () => this.#vectors.pack(),
    });
  }

  #mayReadFrontMatter(calls: readonly WriteCall[]): boolean {
    return this.#hadFrontMatter || calls.some(({ operation, args }) => {
      if (operation === "retryJob") return true;
      const isNew = operation === "createJob" || operation === "addNote";
      const note = isNew ? args[0] : operation === "updateNote" ? args[1] : undefined;
      return mayHaveFrontMatter((note as { text?: string } | undefined)?.text ?? "");
    });
  }

  #scheduleMaintenance(ms: number): void {
    clearTimeout(this.#maintenanceTimer);
    const timer = setTimeout(async () => {
      try {
        await this.#maintain();
      } catch {
        // A full disk, a reader or a lack of memory can prevent it for a time. A write has scheduled it earlier.
        if (!this.#isClosed && timer === this.#maintenanceTimer) {
          this.#scheduleMaintenance(MAINTENANCE_RETRY_MS);
        }
      }
    }, ms);
    this.#maintenanceTimer = timer;
  }

  /**
   * Removes texts that a write has hidden, extends the columns of chunks, and learns the symbols of a store that has
   * many, step by step. Unlike maintenance, this does not wait for a pause of the writes.
   */
  #scheduleStep(): void {
    if (this.#isClosed || this.#stepTimer !== undefined) return;
    const isDue = hasContentToRemove(this.#db) || hasColumnsToExtend(this.#db) || this.#symbols.isDue(false);
    if (!isDue) return;
    this.#stepTimer = setTimeout(() => {
      this.#stepTimer = undefined;
      // A full disk can prevent a step; maintenance or the next write schedules it again.
      ignoreErrors(() => {
        contentStep(this.#db);
        columnsStep(this.#db);
        this.#symbols.step(false);
        this.#scheduleStep();
      });
      if (this.#stepTimer !== undefined || this.#isClosed) return;
      // Erases the rest of the text from the index.
      this.#scheduleMaintenance(IDLE_MS);
    }, STEP_MS);
  }

  /**
   * Erases deleted text from the index, deletes expired versions and documents, maintains vectors, analyzes documents
   * of older versions, learns symbols for texts and gives free pages back, in short steps between which writes can
   * run. Then erases the write-ahead log, which keeps old pages until it is truncated, and frees the page cache.
   */
  async #maintain(): Promise<void> {
    this.#scheduleStep();
    // Its last step schedules maintenance.
    if (this.#stepTimer !== undefined) return;
    const timer = this.#maintenanceTimer;
    const hasMore = purgeStep(this.#db) || retentionStep(this.#db, this.#retention, timestamp()) ||
      this.#removeOlderSets() || this.#vectors.step() || await analysisStep(this.#db) ||
      this.#symbols.step(true) ||
      freePagesStep(this.#db);
    // A write during the step has scheduled the next one.
    if (this.#isClosed || timer !== this.#maintenanceTimer) return;
    this.#scheduleMaintenance(hasMore ? 0 : RETENTION_CHECK_MS);
    if (!hasMore) this.#db.exec(`${TRUNCATE_WAL}; PRAGMA shrink_memory`);
  }

  /** Whether a call may index text that needs tables of languages which are not loaded. */
  #needsLanguages(call: WriteCall): boolean {
    // The derived terms of an edited or restored text are written again.
    const isStored = call.operation === "editDocument" || call.operation === "restoreDocument";
    if (isStored && stemmedLanguages(this.#db).length > 0 || call.operation === "retryJob") return true;
    if (call.operation === "importDocuments") {
      const { documents } = call.args[0] as z.output<typeof ImportRequest>;
      return documents.some(({ text }) => languagesOf(text) === undefined);
    }
    const text = newText(call);
    return text !== undefined && languagesOf(text) === undefined;
  }

  #removeOlderSets(): boolean {
    if (!this.#identity) return false;
    // kb-mcp reindex may have completed a newer set of the same model.
    const serving = servingSet(this.#db, this.#identity)?.id ?? this.#embeddingSet;
    return serving !== undefined && removeOlderSets(this.#db, serving, MAX_REMOVED_VECTORS);
  }
}

/** Returns text that a call adds, or its beginning. */
function newText({ operation, args }: WriteCall): string | undefined {
  switch (operation) {
    case "createJob":
    case "addNote":
      return (args[0] as { text?: string }).text;
    case "updateNote":
      return (args[1] as { text?: string }).text;
    case "editDocument": {
      const { title, replace, section, prepend, append } = args[1] as DocumentEdit;
      return [title, replace?.new, section?.text, prepend, append].filter((text) => text).join("\n");
    }
    case "stageText":
    case "stageChunks":
      return (args[0] as FileChunks).chunks[0]?.text;
    case "finishFile": {
      const { chunks, prepared } = args[0] as IngestedFile;
      return prepared ? undefined : chunks[0]?.text;
    }
    case "storeSourceFile":
      return (args[0] as NewSourceDocument).document.chunks[0]?.text;
    default:
      return undefined;
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // Optional work.
  }
}
