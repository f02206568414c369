/**
 * Entry point of all threads of the engine, and the only module that starts them.
 *
 * A thread loads this module again: from its source file, or the one file of the bundle or executable that
 * contains it. So no other file has to exist on disk. The name of the thread selects its task.
 *
 * @module
 */
import {
  nodeWorkerPort,
  type ThreadPort,
  webWorkerPort,
  type WorkerScope,
  workerScopeChannel,
} from "../async/mod.ts";

/** Name of a thread, which selects its task. */
type ThreadName = "kb-writer" | "kb-extractor" | "kb-vectors";

/**
 * Maximum heap of the extraction thread in MiB. A malicious file must not take the memory of the whole
 * process.
 */
const EXTRACTOR_HEAP_MIB = 1024;

/**
 * Whether this is a thread, which must not start the program (`import.meta.main` is also true in threads).
 */
export function isWorkerScope(): boolean {
  // A thread of node:worker_threads has the globals of the main thread, except for `name`.
  return "WorkerGlobalScope" in globalThis || scope.name === ("kb-extractor" satisfies ThreadName);
}

/** Starts the thread that writes to the database. */
export function spawnWriter(): ThreadPort {
  return webWorkerPort(spawn("kb-writer"));
}

/** Starts the thread that searches vectors. */
export function spawnVectors(): ThreadPort {
  return webWorkerPort(spawn("kb-vectors"));
}

function spawn(name: ThreadName): Worker {
  return new Worker(import.meta.url, { type: "module", name });
}

/**
 * Starts the thread that extracts text.
 *
 * Uses node:worker_threads for its memory limit: V8 ends the whole process when a web `Worker` runs out of
 * memory, but here only the thread.
 */
export async function spawnExtractor(): Promise<ThreadPort> {
  const { Worker } = await import("node:worker_threads");
  return nodeWorkerPort(
    new Worker(new URL(import.meta.url), {
      name: "kb-extractor" satisfies ThreadName,
      resourceLimits: { maxOldGenerationSizeMb: EXTRACTOR_HEAP_MIB },
    }),
  );
}

const scope = globalThis as unknown as WorkerScope & { readonly name: string };

// Dynamic imports: each thread loads only its own code.
if (isWorkerScope()) {
  if (scope.name === "kb-writer") {
    const { serve } = await import("./sqlite/writer/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-extractor") {
    const { serve } = await import("./ingestion/extractor_thread.ts");
    await serve();
  } else if (scope.name === "kb-vectors") {
    const { serve } = await import("./sqlite/vectors/thread.ts");
    serve(workerScopeChannel(scope));
  }
}
