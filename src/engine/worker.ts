/**
 * The entry of every thread of the engine, and the one place that starts them.
 *
 * A thread runs this very module again, whatever file it has ended up in: its own from source, the one file of the program once
 * bundled or compiled. So nothing of it has to be found on disk, and the thread's name says what it is for.
 *
 * @module
 */

/** The threads that there are. */
export type WorkerName = "kb-writer" | "kb-extractor";

/** Whether this is a thread's copy of the program, which must not start the program again (`import.meta.main` is true in it). */
export function isWorkerScope(): boolean {
  return "WorkerGlobalScope" in globalThis;
}

/** Starts a thread. Messages may be posted to it at once. */
export function spawnWorker(name: WorkerName): Worker {
  return new Worker(import.meta.url, { type: "module", name });
}

if (isWorkerScope()) {
  const scope = globalThis as unknown as ThreadScope;
  if (scope.name === "kb-writer") {
    startThread(scope, () => import("./writer/host.ts"));
  } else if (scope.name === "kb-extractor") {
    startThread(scope, () => import("./ingest/extractor_host.ts"));
  }
}

/**
 * Loads what the thread is for, in this thread only, so that none carries what another one needs. Not awaited at the top
 * level: in the one file of a bundle the rest of the program stands after this, and has to be there first.
 */
function startThread(
  scope: ThreadScope,
  load: () => Promise<{ serve: (scope: ThreadScope) => void }>,
): void {
  // Deno drops what is posted to a thread that has no handler yet.
  const early: MessageEvent[] = [];
  scope.onmessage = (event) => early.push(event);
  void load().then(({ serve }) => {
    serve(scope);
    for (const event of early) scope.onmessage?.(event);
  });
}

/** The part of the worker's global scope that is not in the main thread's types. */
interface ThreadScope {
  readonly name: string;
  // deno-lint-ignore no-explicit-any -- each thread has messages of its own
  onmessage: ((event: MessageEvent<any>) => void) | null;
  postMessage(message: unknown): void;
}
