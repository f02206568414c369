import { serveThread, type ThreadChannel } from "../../../async/mod.ts";
import { dataDirAt, openForReading } from "../store/read_only.ts";
import type { VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";
import { VectorScanner } from "./vector_scanner.ts";

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
    let caching: ReturnType<typeof setTimeout> | undefined;
    // In steps, between which searches run.
    const cacheVectors = (): void => {
      caching = undefined;
      try {
        if (scanner.cacheNext()) caching = setTimeout(cacheVectors, 0);
        else notifyOfChange();
      } catch {
        // Damage is reported by the searches that need the data.
      }
    };
    return {
      handle(query: VectorQuery) {
        const nearest = scanner.search(query);
        notifyOfChange();
        // Not before a search: a store that nobody searches by meaning needs no memory for it.
        caching ??= setTimeout(cacheVectors, 0);
        return nearest;
      },
      close() {
        clearTimeout(caching);
        db.close();
      },
    };
  });
}
