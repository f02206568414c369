import type { DatabaseSync } from "node:sqlite";
import {
  claimBuildingSet,
  closeForWriting,
  countVectors,
  type DataDir,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  inTransaction,
  isMigrated,
  isOutOfMemory,
  lockDataDir,
  openForWriting,
  serveIfComplete,
  storageFault,
  timestamp,
  toDataDirError,
  type VectorCounts,
  VectorsRejectedError,
} from "../store/mod.ts";
import { Backfill } from "./backfill.ts";
import type { ThreadPort } from "../../../async/mod.ts";
import {
  EmbeddingError,
  type EmbeddingOptions,
  identityOf,
  openModel,
  reindexCommand,
} from "../../../embeddings/mod.ts";

/** Settings of {@linkcode reindex}. */
export interface ReindexOptions {
  /** Data directory of an engine, which may be running. */
  readonly dataDir: string;
  /** The embedding model. */
  readonly embeddings: EmbeddingOptions;
  /** Stops early. Vectors made so far are kept, and the next call continues with them. */
  readonly signal: AbortSignal;
  /** Called at the start and after each batch. */
  readonly onProgress?: (counts: VectorCounts) => void;
  /** Receives the current problem of the model, or null when it is over. */
  readonly onProblem?: (problem: string | null) => void;
  /** Starts a thread that runs `serveEncoder`. */
  readonly spawnEncoder: () => ThreadPort;
  /** Starts such a thread for a core that nothing else uses. */
  readonly spawnSpareEncoder: () => ThreadPort;
}

/**
 * Embeds every chunk again, into a new set of vectors. Engines with this model serve the set once it is
 * complete; until then a running engine serves the previous one. Continues with an incomplete set of the same
 * model if there is one.
 *
 * @returns The final counts, and whether the set is complete; it is not if the signal aborted.
 * @throws {DataDirError} When the directory has no data, cannot be used, or is being reindexed by another
 * process.
 * @throws {EmbeddingError} When the model is not reachable at the start, or rejects its configuration.
 */
export async function reindex(options: ReindexOptions): Promise<VectorCounts & { isDone: boolean }> {
  const dir = dataDirAt(options.dataDir);
  try {
    return await embedAgain(dir, options);
  } catch (error) {
    throw storageFault(error) || isOutOfMemory(error) ? toDataDirError(error, dir) : error;
  }
}

async function embedAgain(
  dir: DataDir,
  options: ReindexOptions,
): Promise<VectorCounts & { isDone: boolean }> {
  const { dataDir, embeddings, signal } = options;
  if (!await exists(dir.database)) {
    throw new DataDirError(
      `KB_DATA_DIR ${
        JSON.stringify(dataDir)
      } has no data yet: start kb-mcp, which embeds new documents by itself`,
    );
  }
  await using undo = new AsyncDisposableStack();
  undo.use(lockReindexing(dir));
  const db = undo.adopt(openNextToEngine(dir), (each) => closeForWriting(each, dir));
  const model = undo.use(
    openModel(embeddings, { spawn: options.spawnEncoder, spawnSpare: options.spawnSpareEncoder }),
  );
  // Before a set is created: the model may be missing or its name mistyped.
  await model.embedDocuments(["test"], signal);
  const { id } = inTransaction(db, () => claimBuildingSet(db, identityOf(embeddings), timestamp()));
  let batches = 0;
  const backfill = undo.use(
    new Backfill({
      db,
      currentSet: () => id,
      model,
      command: reindexCommand(dataDir, embeddings),
      onProblem: (problem) => options.onProblem?.(problem),
      onStored: () => {
        batches++;
        options.onProgress?.(countVectors(db, id));
      },
      isFatal: (error) =>
        error instanceof VectorsRejectedError || error instanceof EmbeddingError && !isTemporary(error),
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
    // Chunks are missing that the scan did not find.
    if (!isDone && batches === 0) backfill.rescan();
  }
  return { ...countVectors(db, id), isDone };
}

async function run(backfill: Backfill, dataDir: string): Promise<void> {
  try {
    await backfill.run();
  } catch (error) {
    if (!(error instanceof VectorsRejectedError)) throw error;
    if (error.code === "wrong_dimensions") throw new EmbeddingError("wrong_dimensions", error.message);
    throw new DataDirError(
      `An engine with a newer set of vectors has removed this one from KB_DATA_DIR ${
        JSON.stringify(dataDir)
      }: ` +
        "run the command again if you still need it",
      { cause: error },
    );
  }
}

function isTemporary({ code }: EmbeddingError): boolean {
  return code === "unavailable" || code === "overloaded" || code === "failed";
}

/** Prevents a second process from embedding the same chunks. */
function lockReindexing(dir: DataDir): Disposable {
  return lock(
    { ...dir, lock: dir.reindexLock },
    "is being reindexed by another process: wait until it is done, or stop it",
  );
}

/** Migrates only without an engine: an older one would write the old form into the new. */
function openNextToEngine(dir: DataDir): DatabaseSync {
  if (isMigrated(dir)) return openForWriting(dir, timestamp);
  using _ = lock(
    dir,
    "is in use by an older kb-mcp: upgrade it to this version, then run the command again",
  );
  return openForWriting(dir, timestamp);
}

/** @param otherwise Completes "KB_DATA_DIR … " if another process holds the lock. */
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
