/**
 * Entry of kb-mcp, as a program and as its own worker threads.
 *
 * The executable has no other files, so a worker thread runs a module of the program itself. Everything else is imported
 * on demand: a thread does not load what only the server uses.
 *
 * @module
 */
import { isWorkerScope } from "./src/engine/worker.ts";

// import.meta.main is also true in a worker thread, whose work the import above has started.
if (import.meta.main && !isWorkerScope()) {
  const { main } = await import("./src/cli/mod.ts");
  Deno.exit(await main(Deno.args));
}
