/**
 * A thread of {@linkcode pooledThreads}, which runs one service of the engine after the other.
 *
 * @module
 */
import { serveServices, type WorkerScope, workerScopeChannel } from "../../src/async/mod.ts";

serveServices(workerScopeChannel(globalThis as unknown as WorkerScope), {
  writer: async (channel) => (await import("../../src/engine/sqlite/writer/thread.ts")).serve(channel),
  texts: async (channel) => (await import("../../src/engine/sqlite/preparation/thread.ts")).serve(channel),
  search: async (channel) =>
    (await import("../../src/engine/sqlite/search_threads/thread.ts")).serve(channel),
});
