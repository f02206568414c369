import type { DatabaseSync } from "node:sqlite";
import {
  claimBuildingSet,
  countVectors,
  type DataDir,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  inTransaction,
  isUpToDate,
  lockDataDir,
  openForWriting,
  serveIfComplete,
  timestamp,
  type VectorCounts,
  VectorsRefused,
} from "../store/mod.ts";
import { Backfill } from "./backfill.ts";
import {
  Embedder,
  EmbeddingError,
  type EmbeddingOptions,
  identityOf,
  reindexCommand,
} from "../../../embeddings/mod.ts";

/** Settings of {@linkcode reindex}. */
export interface ReindexOptions {
  /** Directory of an engine's data; the engine may be running. */
  readonly dataDir: string;
  /** What to embed with. */
  readonly embeddings: EmbeddingOptions;
  /** Ends it early; what was embedded so far is kept for the next time. */
  readonly signal: AbortSignal;
  /** Told how far it is, after each batch. */
  readonly onProgress?: (counts: VectorCounts) => void;
  /** Told when the model begins to fail, and why; null: when it works again. */
  readonly onProblem?: (problem: string | null) => void;
}

/**
 * Embeds every chunk anew, into a set of vectors of its own. Once it is complete, engines with this model serve it; an engine
 * that runs serves what it has until then. A set that was begun before with the same model is gone on with.
 *
 * @returns Where it stands in the end, and whether all is done; it is not when the signal ended it.
 * @throws {DataDirError} When the directory cannot be used: no data in it, another reindexing at work.
 * @throws {EmbeddingError} When the model cannot be reached at the start, or not as it is configured.
 *
 * @example
 * ```ts
 * import { DataDirError, type EmbeddingOptions, reindex } from "../../mod.ts";
 * import { assertRejects } from "@std/assert";
 * const embeddings: EmbeddingOptions = {
 *   url: "http://127.0.0.1:11434/v1",
 *   model: "nomic-embed-text",
 *   queryPrefix: "",
 *   documentPrefix: "",
 *   batchSize: 32,
 *   concurrency: 2,
 *   timeoutMs: 30_000,
 * };
 * const { signal } = new AbortController();
 * await assertRejects(() => reindex({ dataDir: "/nowhere", embeddings, signal }), DataDirError, "no data");
 * ```
 */
export async function reindex(options: ReindexOptions): Promise<VectorCounts & { isDone: boolean }> {
  const { dataDir, embeddings, signal } = options;
  const dir = dataDirAt(dataDir);
  if (!await exists(dir.database)) {
    throw new DataDirError(
      `There is no data in KB_DATA_DIR ${
        JSON.stringify(dataDir)
      } yet: start kb-mcp and it embeds what is added`,
    );
  }
  using undo = new DisposableStack();
  undo.use(lockReindexing(dir));
  const db = undo.adopt(openBesideEngine(dir), (each) => each.close());
  const embedder = new Embedder(embeddings);
  // Known before a set is begun: a model that is not there, or whose name is mistyped.
  await embedder.embedDocuments(["test"], signal);
  const { id } = inTransaction(db, () => claimBuildingSet(db, identityOf(embeddings), timestamp()));
  let batches = 0;
  const backfill = undo.use(
    new Backfill({
      db,
      set: () => id,
      embedder,
      concurrency: embeddings.concurrency,
      command: reindexCommand(dataDir, embeddings),
      onProblem: (problem) => options.onProblem?.(problem),
      onStored: () => {
        batches++;
        options.onProgress?.(countVectors(db, id));
      },
      isFatal: (error) =>
        error instanceof VectorsRefused || error instanceof EmbeddingError && !mayPass(error),
    }),
  );
  const onAbort = () => backfill[Symbol.dispose]();
  signal.addEventListener("abort", onAbort);
  undo.defer(() => signal.removeEventListener("abort", onAbort));
  options.onProgress?.(countVectors(db, id));
  let isDone = false;
  while (!isDone && !signal.aborted) {
    batches = 0;
    await run(backfill, dataDir);
    if (signal.aborted) break;
    isDone = inTransaction(db, () => serveIfComplete(db, id));
    // Something is missing that was not found: nothing is taken for granted any more.
    if (!isDone && batches === 0) backfill.rescan();
  }
  return { ...countVectors(db, id), isDone };
}

async function run(backfill: Backfill, dataDir: string): Promise<void> {
  try {
    await backfill.run();
  } catch (error) {
    if (!(error instanceof VectorsRefused)) throw error;
    if (error.reason === "wrong_dimensions") throw new EmbeddingError("wrong_dimensions", error.message);
    throw new DataDirError(
      `The vectors that were being made in KB_DATA_DIR ${
        JSON.stringify(dataDir)
      } were removed by an engine that has ` +
        "started with newer ones: run this again if they are still wanted",
      { cause: error },
    );
  }
}

function mayPass({ code }: EmbeddingError): boolean {
  return code === "unavailable" || code === "overloaded" || code === "failed";
}

/** Two at once would ask for everything twice. */
function lockReindexing(dir: DataDir): Disposable {
  return lock(
    { ...dir, lock: dir.reindexLock },
    "is being reindexed by another process: wait for its end, or stop it",
  );
}

/** An engine that is at work on data of an older form is an older one: it would go on writing that form into the new. */
function openBesideEngine(dir: DataDir): DatabaseSync {
  if (isUpToDate(dir)) return openForWriting(dir, timestamp);
  using _ = lock(
    dir,
    "is in use by an older kb-mcp: replace that by this version first, then run this again",
  );
  return openForWriting(dir, timestamp);
}

/** @param otherwise Completes "KB_DATA_DIR … " for when another process has the lock. */
function lock(dir: DataDir, otherwise: string): Disposable {
  try {
    return lockDataDir(dir);
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) throw error;
    throw new DataDirError(`KB_DATA_DIR ${JSON.stringify(dir.path)} ${otherwise}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}
