/**
 * The entry of kb-mcp, as a program and as its own worker threads.
 *
 * The executable is one file, and a worker is started from that same file, so what runs is decided here. All else is
 * imported on demand: a worker need not load what only the server uses.
 *
 * @module
 */
import { isWorkerScope } from "./src/engine/worker.ts";

// In a worker import.meta.main is true as well; the worker's own work is started by the import above.
if (import.meta.main && !isWorkerScope()) {
  const { main } = await import("./src/cli/mod.ts");
  Deno.exit(await main(Deno.args));
}
