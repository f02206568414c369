import type { DatabaseSync } from "node:sqlite";
import { dataDirAt, openForReading } from "../store/mod.ts";
import type { Reply, Request } from "./protocol.ts";
import { ServingVectors } from "./serving_vectors.ts";

/** What a worker's global scope is to this module. */
interface Scope {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(message: Reply): void;
}

/** The thread that keeps and searches vectors: serves the requests of the main thread's {@linkcode VectorIndex}. */
export function serve(scope: Scope): void {
  let db: DatabaseSync | undefined;
  let vectors: ServingVectors | undefined;

  const answer = (request: Request): Reply => {
    switch (request.type) {
      case "open": {
        const { dataDir, identity, memoryBytes } = request.settings;
        db = openForReading(dataDirAt(dataDir));
        vectors = new ServingVectors(db, identity, memoryBytes);
        vectors.refresh();
        return { type: "opened", memory: vectors.memory };
      }
      case "search": {
        if (!vectors) throw new Error("A search came before the store was open");
        const { query, top, allowed } = request.search;
        const found = vectors.search(query, top, allowed);
        return { type: "found", id: request.id, found, memory: vectors.memory };
      }
      case "close":
        db?.close();
        return { type: "closed" };
    }
  };

  scope.onmessage = ({ data: request }) => {
    try {
      scope.postMessage(answer(request));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      scope.postMessage(
        request.type === "search"
          ? { type: "failed", id: request.id, message }
          : { type: "refused", message },
      );
    }
  };
  // Only now: what is sent to a worker before it listens is lost.
  scope.postMessage({ type: "ready" });
}
