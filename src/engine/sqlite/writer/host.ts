import type { DatabaseSync } from "node:sqlite";
import type { Backfill } from "../backfill/mod.ts";
import { type EmbeddingIdentity, type EmbeddingOptions, identityOf } from "../../../embeddings/mod.ts";
import {
  dataDirAt,
  openForWriting,
  purgeStep,
  queuedNotesMayHaveFrontMatter,
  removeOlderSets,
  servingSet,
  StoreOperations,
  timestamp,
} from "../store/mod.ts";
import { loadFrontMatter, mayHaveFrontMatter } from "../../../extraction/mod.ts";
import { commitGroup } from "./commit_group.ts";
import type { Call, EmbeddingState, Reply, Request, WriterSettings } from "./protocol.ts";

/** Time without a write after which upkeep begins, in milliseconds. */
const IDLE_MS = 1000;

/** Vectors of another model that one step of upkeep removes: some milliseconds. */
const REMOVED_VECTORS = 200;

const EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)";

/** What a worker's global scope is to this module. */
interface Scope {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(message: Reply): void;
}

/** The writer's thread: serves the requests that the {@linkcode Writer} of the main thread sends. */
export function serve(scope: Scope): void {
  let store: OpenStore | undefined;
  scope.onmessage = ({ data: request }) => {
    if (request.type === "open") {
      try {
        const onEmbedding = (state: EmbeddingState) => scope.postMessage({ type: "embedding", state });
        store = new OpenStore(request.settings, request.embeddingSet, onEmbedding);
        scope.postMessage({ type: "opened" });
      } catch (error) {
        scope.postMessage(refused(error));
      }
    } else if (request.type === "batch") {
      if (!store) throw new Error("A batch came before the store was open");
      const { calls } = request;
      const open = store;
      const commit = () => scope.postMessage({ type: "answers", answers: open.commit(calls) });
      // Nothing else comes meanwhile: a batch is sent when the one before is answered.
      if (open.mayReadFrontMatter(calls)) void loadFrontMatter().then(commit);
      else commit();
    } else {
      store?.close();
      scope.postMessage({ type: "closed" });
    }
  };
  // Only now: what is sent to a worker before it listens is lost.
  scope.postMessage({ type: "ready" });
}

class OpenStore {
  readonly #db: DatabaseSync;
  readonly #operations: StoreOperations;
  /** Whether a note with front matter waits from before. */
  readonly #hasFrontMatter: boolean;
  readonly #embeddingSet: number | undefined;
  readonly #identity: EmbeddingIdentity | undefined;
  #backfill: Backfill | undefined;
  #isClosed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { dataDir, chunk, maxQueuedJobs, embeddings }: WriterSettings,
    embeddingSet: number | undefined,
    onEmbedding: (state: EmbeddingState) => void,
  ) {
    this.#db = openForWriting(dataDirAt(dataDir), timestamp);
    this.#operations = new StoreOperations(this.#db, { chunk, maxQueuedJobs, now: timestamp });
    this.#db.exec("BEGIN IMMEDIATE");
    this.#operations.recover();
    this.#db.exec("COMMIT");
    this.#hasFrontMatter = queuedNotesMayHaveFrontMatter(this.#db);
    this.#embeddingSet = embeddingSet;
    this.#identity = embeddings && identityOf(embeddings);
    if (embeddings) void this.#startBackfill(dataDir, embeddings, onEmbedding);
    this.#keepUpLater(IDLE_MS);
  }

  commit(calls: Parameters<typeof commitGroup>[2]): ReturnType<typeof commitGroup> {
    clearTimeout(this.#idle);
    const answers = commitGroup(this.#db, this.#operations, calls);
    this.#backfill?.wake();
    this.#keepUpLater(IDLE_MS);
    return answers;
  }

  async #startBackfill(
    dataDir: string,
    embeddings: EmbeddingOptions,
    onEmbedding: (state: EmbeddingState) => void,
  ): Promise<void> {
    // Most stores have no embeddings, and need not load what asks for them.
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

  /** Whether these writes bring a note with front matter, whose parser cannot be loaded inside a transaction. */
  mayReadFrontMatter(calls: readonly Call[]): boolean {
    return this.#hasFrontMatter || calls.some(({ op, args }) => {
      const brought = op === "createJob" ? args[0] : op === "updateNote" ? args[1] : undefined;
      return mayHaveFrontMatter((brought as { text?: string } | undefined)?.text ?? "");
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#backfill?.[Symbol.dispose]();
    this.#tryTo(() => this.#db.exec("PRAGMA optimize"));
    this.#tryTo(() => this.#db.exec(EMPTY_LOG));
    this.#db.close();
  }

  #keepUpLater(ms: number): void {
    this.#idle = setTimeout(() => this.#tryTo(() => this.#keepUp()), ms);
  }

  /**
   * Sees to it that what was deleted is gone from the disk: from the index, step by step so that a write that comes waits for one
   * step only, and then from the log, where it stays until the log is emptied.
   */
  #keepUp(): void {
    if (purgeStep(this.#db) || this.#removeOlderSets()) this.#keepUpLater(0);
    else this.#db.exec(EMPTY_LOG);
  }

  #removeOlderSets(): boolean {
    if (!this.#identity || this.#embeddingSet === undefined) return false;
    // Newer vectors of the same model may have come, by kb-mcp reindex.
    const serving = servingSet(this.#db, this.#identity)?.id ?? this.#embeddingSet;
    return removeOlderSets(this.#db, serving, REMOVED_VECTORS);
  }

  /** Upkeep that a full disk or a reader prevents is left for the next time; nothing is lost by it. */
  #tryTo(work: () => void): void {
    try {
      work();
    } catch {
      // As said.
    }
  }
}

function refused(error: unknown): Reply {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return { type: "refused", message, ...(cause instanceof Error ? { cause: cause.message } : {}) };
}
