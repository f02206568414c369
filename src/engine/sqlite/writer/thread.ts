import type { DatabaseSync } from "node:sqlite";
import { languagesOf, loadLanguages } from "../../../analysis/mod.ts";
import { serveThread, type ThreadChannel, type ThreadService } from "../../../async/mod.ts";
import type { IngestedFile } from "../../knowledge_base/mod.ts";
import { type EmbeddingIdentity, type EmbeddingOptions, identityOf } from "../../../embeddings/mod.ts";
import { loadFrontMatter, mayHaveFrontMatter } from "../../../extraction/mod.ts";
import type { Backfill } from "../backfill/mod.ts";
import {
  analysisStep,
  CommitMarker,
  dataDirAt,
  openForWriting,
  purgeStep,
  queuedNotesMayHaveFrontMatter,
  removeOlderSets,
  servingSet,
  StoreOperations,
  timestamp,
} from "../store/mod.ts";
import { commitGroup } from "./commit_group.ts";
import type {
  EmbeddingState,
  WriteCall,
  WriterRequest,
  WriterResponse,
  WriterThreadSettings,
} from "./protocol.ts";

/** Time without a write until maintenance begins, in milliseconds. */
const IDLE_MS = 1000;

/** Maximum number of outdated vectors that one maintenance step removes; takes a few milliseconds. */
const MAX_REMOVED_VECTORS = 200;

const TRUNCATE_WAL = "PRAGMA wal_checkpoint(TRUNCATE)";

/** Runs the writer thread. */
export function serve(channel: ThreadChannel): void {
  serveThread(
    channel,
    (settings: WriterThreadSettings, notify: (state: EmbeddingState) => void) =>
      new WriterService(settings, notify),
  );
}

class WriterService implements ThreadService<WriterRequest, WriterResponse> {
  readonly #db: DatabaseSync;
  readonly #operations: StoreOperations;
  readonly #marker: CommitMarker;
  /** Whether notes queued before the start may have front matter. */
  readonly #hadFrontMatter: boolean;
  readonly #embeddingSet: number | undefined;
  readonly #identity: EmbeddingIdentity | undefined;
  #backfill: Backfill | undefined;
  /** Whether the tables of languages are loaded. */
  #hasLanguages = false;
  #isClosed = false;
  #maintenanceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { dataDir, chunk, maxQueuedJobs, embeddings, embeddingSet }: WriterThreadSettings,
    onEmbedding: (state: EmbeddingState) => void,
  ) {
    const dir = dataDirAt(dataDir);
    this.#db = openForWriting(dir, timestamp);
    this.#marker = CommitMarker.open(dir.marker);
    this.#operations = new StoreOperations(this.#db, { chunk, maxQueuedJobs, now: timestamp });
    this.#db.exec("BEGIN IMMEDIATE");
    this.#operations.recover();
    this.#db.exec("COMMIT");
    this.#hadFrontMatter = queuedNotesMayHaveFrontMatter(this.#db);
    this.#embeddingSet = embeddingSet;
    this.#identity = embeddings && identityOf(embeddings);
    if (embeddings) void this.#startBackfill(dataDir, embeddings, onEmbedding);
    this.#scheduleMaintenance(IDLE_MS);
  }

  async handle(calls: WriterRequest): Promise<WriterResponse> {
    // The YAML parser is loaded on demand, and not inside a transaction.
    if (this.#mayReadFrontMatter(calls)) await loadFrontMatter();
    if (!this.#hasLanguages && calls.some(needsLanguages)) {
      await loadLanguages();
      this.#hasLanguages = true;
    }
    clearTimeout(this.#maintenanceTimer);
    const results = commitGroup(this.#db, this.#operations, calls, (commit) => this.#recordCommit(commit));
    this.#backfill?.wake();
    this.#scheduleMaintenance(IDLE_MS);
    return results;
  }

  /** A commit that cannot be recorded is on disk all the same, and the next one is recorded instead. */
  #recordCommit(commit: number): void {
    ignoreErrors(() => this.#marker.write({ commit, closed: undefined }));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#maintenanceTimer);
    this.#backfill?.[Symbol.dispose]();
    ignoreErrors(() => this.#db.exec("PRAGMA optimize"));
    ignoreErrors(() => this.#db.exec(TRUNCATE_WAL));
    this.#db.close();
    this.#marker[Symbol.dispose]();
  }

  async #startBackfill(
    dataDir: string,
    embeddings: EmbeddingOptions,
    onEmbedding: (state: EmbeddingState) => void,
  ): Promise<void> {
    // Loaded on demand: most stores have no embeddings.
    const { startBackfill } = await import("../backfill/mod.ts");
    if (this.#isClosed || this.#embeddingSet === undefined) return;
    this.#backfill = startBackfill({
      db: this.#db,
      setId: this.#embeddingSet,
      dataDir,
      embeddings,
      onEmbedding,
    });
  }

  #mayReadFrontMatter(calls: readonly WriteCall[]): boolean {
    return this.#hadFrontMatter || calls.some(({ operation, args }) => {
      const note = operation === "createJob" ? args[0] : operation === "updateNote" ? args[1] : undefined;
      return mayHaveFrontMatter((note as { text?: string } | undefined)?.text ?? "");
    });
  }

  #scheduleMaintenance(ms: number): void {
    // A full disk or a reader can prevent maintenance; the next write schedules it again.
    this.#maintenanceTimer = setTimeout(() => void this.#maintain().catch(() => {}), ms);
  }

  /**
   * Erases deleted text from the index and analyzes documents of older versions, in short steps between which
   * writes can run. Then erases the write-ahead log, which keeps old pages until it is truncated, and frees the
   * page cache.
   */
  async #maintain(): Promise<void> {
    const timer = this.#maintenanceTimer;
    const hasMore = purgeStep(this.#db) || this.#removeOlderSets() || await analysisStep(this.#db);
    // A write during the step has scheduled the next one.
    if (this.#isClosed || timer !== this.#maintenanceTimer) return;
    if (hasMore) this.#scheduleMaintenance(0);
    else this.#db.exec(`${TRUNCATE_WAL}; PRAGMA shrink_memory`);
  }

  #removeOlderSets(): boolean {
    if (!this.#identity || this.#embeddingSet === undefined) return false;
    // kb-mcp reindex may have completed a newer set of the same model.
    const serving = servingSet(this.#db, this.#identity)?.id ?? this.#embeddingSet;
    return removeOlderSets(this.#db, serving, MAX_REMOVED_VECTORS);
  }
}

/** Whether a call may index text in another language than English. */
function needsLanguages({ operation, args }: WriteCall): boolean {
  const text = operation === "createJob"
    ? (args[0] as { text?: string }).text
    : operation === "updateNote"
    ? (args[1] as { text?: string }).text
    : operation === "finishFile"
    ? (args[0] as IngestedFile).chunks[0]?.text
    : undefined;
  return text !== undefined && languagesOf(text) === undefined;
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // Optional work.
  }
}
