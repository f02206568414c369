import { clearImmediate, setImmediate } from "node:timers";
import { serveThread, type ThreadChannel } from "../../../async/mod.ts";
import { dataDirAt, openForReading } from "../store/read_only.ts";
import type { VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";
import { rehearse } from "./rehearsal.ts";
import { SharedRanking } from "./shared_ranking.ts";
import { VectorScanner } from "./vector_scanner.ts";

/** Time in which the server starts, and a client may send its first request, in milliseconds. */
const REHEARSAL_DELAY_MS = 250;

/**
 * Number of steps of caching per timer, which takes three times as long as a step. A search waits for these steps at most:
 * without timers, messages would not be received for ten milliseconds.
 */
const STEPS_PER_TIMER = 3;

/** Runs the vector thread, which loads vectors into memory and scans them. */
export function serve(channel: ThreadChannel): void {
  serveThread(channel, (settings: VectorSettings, notify: (memory: VectorMemory) => void) => {
    const db = openForReading(dataDirAt(settings.dataDir));
    // The thread outlives a service that cannot be opened.
    using undo = new DisposableStack();
    undo.defer(() => db.close());
    const scanner = new VectorScanner(db, settings.identity, settings.memoryBytes);
    scanner.refresh();
    let { memory } = scanner;
    notify(memory);
    undo.move();
    const notifyOfChange = (): void => {
      const { bytes, vectors, complete } = scanner.memory;
      if (bytes === memory.bytes && vectors === memory.vectors && complete === memory.complete) return;
      memory = { bytes, vectors, complete };
      notify(memory);
    };
    let rehearsal: ReturnType<typeof setTimeout> | undefined = setTimeout(
      () => void rehearse(scanner, { isIdle: () => rehearsal !== undefined }),
      REHEARSAL_DELAY_MS,
    );
    const stopRehearsal = (): void => {
      clearTimeout(rehearsal);
      rehearsal = undefined;
    };
    let steps = 0;
    let cancelCaching: (() => void) | undefined;
    // In steps, between which searches run.
    const cacheLater = (): void => {
      if (++steps % STEPS_PER_TIMER > 0) {
        const immediate = setImmediate(cacheVectors);
        cancelCaching = () => clearImmediate(immediate);
      } else {
        const timer = setTimeout(cacheVectors, 0);
        cancelCaching = () => clearTimeout(timer);
      }
    };
    const cacheVectors = (): void => {
      cancelCaching = undefined;
      try {
        if (scanner.cacheNext()) cacheLater();
        else notifyOfChange();
      } catch {
        // Damage is reported by the searches that need the data.
      }
    };
    return {
      handle(query: VectorQuery) {
        stopRehearsal();
        const nearest = scanner.search(query);
        // Before the ranking, which another thread waits for: a status after the search has this memory.
        notifyOfChange();
        const { shared } = query;
        if (shared) new SharedRanking(shared.memory).write(shared, query.query, nearest);
        // Not before a search: a store that nobody searches by meaning needs no memory for it.
        if (!cancelCaching) cacheLater();
        return nearest;
      },
      close() {
        stopRehearsal();
        cancelCaching?.();
        db.close();
      },
    };
  });
}
