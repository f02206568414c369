/**
 * A service for the tests of `ThreadClient`, in a web worker.
 *
 * @module
 */
import {
  serveServices,
  serveThread,
  type ThreadChannel,
  type ThreadPort,
  webWorkerPort,
  type WorkerScope,
  workerScopeChannel,
} from "../../src/async/mod.ts";

/** What the service does with a request. */
export type Task =
  | { readonly echo: unknown }
  /** Blocks the thread until {@linkcode release}. */
  | { readonly block: Int32Array }
  | { readonly notify: string }
  | { readonly do: "throw" | "crash" | "count" | "returnFunction" };

/** How the service opens. */
export interface Settings {
  readonly openError?: string;
  /** Blocks the thread before it opens until {@linkcode release}. */
  readonly openGate?: Int32Array;
}

/** Starts the thread. */
export function spawnService(): ThreadPort {
  return webWorkerPort(new Worker(import.meta.url, { type: "module" }));
}

/** Starts a thread for a `SharedThread`, with the same service under two names. */
export function spawnServices(): ThreadPort {
  return webWorkerPort(new Worker(import.meta.url, { type: "module", name: "services" }));
}

/** A gate for `block`. */
export function gate(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Lets a blocked thread continue. */
export function release(gate: Int32Array): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

function serve(channel: ThreadChannel): void {
  serveThread(channel, ({ openError, openGate }: Settings, notify: (notice: string) => void) => {
    if (openGate) Atomics.wait(openGate, 0, 0);
    if (openError !== undefined) throw new Error(openError, { cause: new TypeError("inner") });
    let handled = 0;
    return {
      async handle(task: Task): Promise<unknown> {
        handled++;
        if ("echo" in task) return task.echo;
        if ("block" in task) return Atomics.wait(task.block, 0, 0);
        if ("notify" in task) return notify(task.notify);
        switch (task.do) {
          case "count":
            return handled;
          case "throw":
            throw Object.assign(new Error("No", { cause: new TypeError("inner") }), { code: "no" });
          case "returnFunction":
            return () => {};
          case "crash":
            // Outside of any handler, as an error in a timer is.
            setTimeout(() => {
              throw new Error("Crashed");
            });
            return await new Promise(() => {});
        }
      },
      close: () => notify("closing"),
    };
  });
}

const scope = globalThis as unknown as WorkerScope & { readonly name: string };

if ("WorkerGlobalScope" in globalThis) {
  const channel = workerScopeChannel(scope);
  if (scope.name === "services") serveServices(channel, { tasks: serve, otherTasks: serve });
  else serve(channel);
}
