import { serveThread, type ThreadChannel } from "../../../async/mod.ts";
import { dataDirAt, openForReading } from "../store/mod.ts";
import type { VectorMemory, VectorQuery, VectorSettings } from "./protocol.ts";
import { ServingVectors } from "./serving_vectors.ts";

/** Runs the vector thread, which loads vectors into memory and scans them. */
export function serve(channel: ThreadChannel): void {
  serveThread(channel, (settings: VectorSettings, notify: (memory: VectorMemory) => void) => {
    const db = openForReading(dataDirAt(settings.dataDir));
    const vectors = new ServingVectors(db, settings.identity, settings.memoryBytes);
    vectors.refresh();
    notify(vectors.memory);
    return {
      handle({ query, top, allowed }: VectorQuery) {
        const nearest = vectors.search(query, top, allowed);
        notify(vectors.memory);
        return nearest;
      },
      close: () => db.close(),
    };
  });
}
