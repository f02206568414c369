import type { DatabaseSync } from "node:sqlite";
import { lazy } from "../../../text/mod.ts";
import type { VectorSearch } from "../../search/mod.ts";
import { DEFAULT_TIME_LIMIT_MS, timeLimitError } from "./read_limits.ts";
import type { Reads } from "./reads.ts";

/**
 * Runs reads on the calling thread: for programs that search once, and machines without memory for threads.
 *
 * @param options.db A connection to the store, which is only read.
 * @param options.vectors Search by vectors. Unset: full text only.
 */
export function localReads(
  { db, vectors }: { readonly db: DatabaseSync; readonly vectors: VectorSearch | undefined },
): Reads {
  // Imported on first use: building the patterns of a search takes as long as the rest of the start.
  const service = lazy(async () => new (await import("./read_service.ts")).ReadService(db));
  return {
    async run(operation, input, signal) {
      const reads = await service();
      const deadline = performance.now() + DEFAULT_TIME_LIMIT_MS;
      const checkpoint = () => {
        if (performance.now() > deadline) throw timeLimitError(DEFAULT_TIME_LIMIT_MS);
      };
      return await reads.run(operation, input, { vectors, signal, checkpoint });
    },
    async warmUp() {
      (await service()).warmUp();
    },
  };
}
