/**
 * Entry point of all threads of the engine, and the only module that starts them.
 *
 * A thread loads this module again: from its source file, or the one file of the bundle or executable that
 * contains it. So no other file has to exist on disk. The name of the thread selects its task.
 *
 * @module
 */
import {
  lowerThreadPriority,
  serveServices,
  SharedThread,
  type ThreadPort,
  webWorkerPort,
  type WorkerScope,
  workerScopeChannel,
} from "../async/mod.ts";

/** Name of a thread, which selects its task. */
type ThreadName = "kb-writer" | "kb-texts" | "kb-search" | "kb-vectors" | "kb-encoder" | "kb-spare-encoder";

/**
 * Whether this is a thread, which must not start the program (`import.meta.main` is also true in threads).
 */
export function isWorkerScope(): boolean {
  return "WorkerGlobalScope" in globalThis;
}

/** Starts the thread that writes to the database. */
export function spawnWriter(): ThreadPort {
  return webWorkerPort(spawn("kb-writer"));
}

/** Starts the thread that reads small text files. */
export function spawnTextReader(): ThreadPort {
  return webWorkerPort(spawn("kb-texts"));
}

/** Starts a thread that searches. */
export function spawnSearch(): ThreadPort {
  return webWorkerPort(spawn("kb-search"));
}

/** Services of a thread for searches by meaning. */
export interface VectorThread {
  /** Connects to the service that searches vectors. */
  readonly vectors: () => ThreadPort;
  /** Connects to the service that embeds queries with the built-in model. */
  readonly encoder: () => ThreadPort;
}

/** Returns a thread for the steps of a search by meaning, which follow each other; it starts when it is needed. */
export function vectorThread(): VectorThread {
  const thread = new SharedThread(() => webWorkerPort(spawn("kb-vectors")));
  return { vectors: () => thread.connect("vectors"), encoder: () => thread.connect("encoder") };
}

/** Starts a thread that embeds documents with the built-in model. */
export function spawnEncoder(): ThreadPort {
  return webWorkerPort(spawn("kb-encoder"));
}

/** Starts such a thread for a core that nothing else uses: with a priority at which it hardly slows down other threads. */
export function spawnSpareEncoder(): ThreadPort {
  return webWorkerPort(spawn("kb-spare-encoder"));
}

function spawn(name: ThreadName): Worker {
  return new Worker(import.meta.url, { type: "module", name });
}

const scope = globalThis as unknown as WorkerScope & { readonly name: string };

/** By how much the priority of threads is lowered whose work may wait while others want all cores. */
const LOWERED_BY: ReadonlyMap<string, number> = new Map<ThreadName, number>([
  ["kb-writer", 5],
  ["kb-texts", 5],
  ["kb-encoder", 5],
  ["kb-spare-encoder", 10],
]);

// Dynamic imports: each thread loads only its own code.
if (isWorkerScope()) {
  const lowerBy = LOWERED_BY.get(scope.name);
  if (lowerBy !== undefined) lowerThreadPriority(lowerBy);
  if (scope.name === "kb-writer") {
    const { serve } = await import("./sqlite/writer/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-texts") {
    const { serve } = await import("./sqlite/preparation/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-search") {
    const { serve } = await import("./sqlite/search_threads/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-vectors") {
    serveServices(workerScopeChannel(scope), {
      vectors: async (channel) => (await import("./sqlite/vectors/thread.ts")).serve(channel),
      encoder: async (channel) => (await import("../embeddings/encoder_thread.ts")).serveEncoder(channel),
    });
  } else if (scope.name === "kb-encoder" || scope.name === "kb-spare-encoder") {
    const { serveEncoder } = await import("../embeddings/encoder_thread.ts");
    serveEncoder(workerScopeChannel(scope));
  }
}
