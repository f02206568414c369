/**
 * Entry point of all threads of the engine, and the only module that starts them.
 *
 * A thread loads this module again: from its source file, or the one file of the bundle or executable that
 * contains it. So no other file has to exist on disk. The name of the thread selects its task.
 *
 * @module
 */
import { type ThreadPort, webWorkerPort, type WorkerScope, workerScopeChannel } from "../async/mod.ts";

/** Name of a thread, which selects its task. */
type ThreadName = "kb-writer" | "kb-vectors" | "kb-encoder";

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

/** Starts the thread that searches vectors. */
export function spawnVectors(): ThreadPort {
  return webWorkerPort(spawn("kb-vectors"));
}

/** Starts a thread that runs the built-in embedding model. */
export function spawnEncoder(): ThreadPort {
  return webWorkerPort(spawn("kb-encoder"));
}

function spawn(name: ThreadName): Worker {
  return new Worker(import.meta.url, { type: "module", name });
}

const scope = globalThis as unknown as WorkerScope & { readonly name: string };

// Dynamic imports: each thread loads only its own code.
if (isWorkerScope()) {
  if (scope.name === "kb-writer") {
    const { serve } = await import("./sqlite/writer/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-vectors") {
    const { serve } = await import("./sqlite/vectors/thread.ts");
    serve(workerScopeChannel(scope));
  } else if (scope.name === "kb-encoder") {
    const { serveEncoder } = await import("../embeddings/encoder_thread.ts");
    serveEncoder(workerScopeChannel(scope));
  }
}
