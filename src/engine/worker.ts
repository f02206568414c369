/**
 * The entry of every thread of the engine, and the one place that starts them.
 *
 * A thread runs this very module again, whatever file it has ended up in: its own from source, the one file of the program once
 * bundled or compiled. So nothing of it has to be found on disk, and the thread's name says what it is for.
 *
 * @module
 */
import type { Worker as NodeWorker } from "node:worker_threads";
import { type ThreadPort, webWorkerPort, type WorkerScope, workerScopeChannel } from "../async/mod.ts";

/** The name of a thread, which says what it is for. */
type WorkerName = "kb-writer" | "kb-extractor" | "kb-vectors";

/**
 * Most memory of the heap of the thread that reads files, in MiB. A hostile file may ask for all there is; the limit is the
 * thread's own, so it takes none from the rest of the program.
 */
const EXTRACTOR_HEAP_MIB = 1024;

/** Whether this is a thread's copy of the program, which must not start the program again (`import.meta.main` is true in it). */
export function isWorkerScope(): boolean {
  // A thread of node:worker_threads has the main thread's globals, but for the name.
  return "WorkerGlobalScope" in globalThis || scope.name === ("kb-extractor" satisfies WorkerName);
}

/** Starts the writer thread. */
export function spawnWriter(): ThreadPort {
  return webWorkerPort(spawn("kb-writer"));
}

/** Starts the vector thread. */
export function spawnVectors(): ThreadPort {
  return webWorkerPort(spawn("kb-vectors"));
}

function spawn(name: WorkerName): Worker {
  return new Worker(import.meta.url, { type: "module", name });
}

/**
 * Starts the thread that reads files. It says by a message of its own when it is ready to take messages.
 *
 * One of node:worker_threads, because V8 ends the whole process when a `Worker` of the web platform runs out of memory;
 * here it is the thread alone that stops.
 */
export async function spawnExtractor(): Promise<NodeWorker> {
  const { Worker } = await import("node:worker_threads");
  return new Worker(new URL(import.meta.url), {
    name: "kb-extractor" satisfies WorkerName,
    resourceLimits: { maxOldGenerationSizeMb: EXTRACTOR_HEAP_MIB },
  });
}

const scope = globalThis as unknown as WorkerScope & { readonly name: string };

// Each thread imports only its own code.
if (isWorkerScope()) {
  if (scope.name === "kb-writer") {
    const { serve } = await import("./sqlite/writer/host.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-extractor") {
    const { serve } = await import("./ingestion/extractor_host.ts");
    await serve();
  } else if (scope.name === "kb-vectors") {
    const { serve } = await import("./sqlite/vectors/host.ts");
    serve(workerScopeChannel(scope));
  }
}
