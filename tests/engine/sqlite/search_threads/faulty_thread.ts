/**
 * A search thread that crashes or hangs for some queries.
 *
 * @module
 */
import {
  type ThreadPort,
  webWorkerPort,
  type WorkerScope,
  workerScopeChannel,
} from "../../../../src/async/mod.ts";
import type {
  ReadRequest,
  SearchThreadSettings,
} from "../../../../src/engine/sqlite/search_threads/protocol.ts";
import { serve } from "../../../../src/engine/sqlite/search_threads/thread.ts";

/** Starts the thread. */
export function spawnFaulty(): ThreadPort {
  return webWorkerPort(new Worker(import.meta.url, { type: "module" }));
}

type Message =
  | { readonly type: "open"; readonly settings: SearchThreadSettings }
  | { readonly type: "request"; readonly input: ReadRequest };

if ("WorkerGlobalScope" in globalThis) {
  const channel = workerScopeChannel(globalThis as unknown as WorkerScope);
  let ended: Int32Array = new Int32Array();
  serve({
    post: (message) => channel.post(message),
    onMessage: (listener) =>
      channel.onMessage((received) => {
        const message = received as Message;
        if (message.type === "open") ended = message.settings.ended;
        if (message.type === "request") {
          const { query } = message.input.input as { query: string };
          // Outside of any handler, as an error in a timer is.
          if (query === "crash") throw new Error("Crashed");
          // Until the read is ended, without returning to the event loop.
          if (query === "hang") { while (Atomics.load(ended, message.input.slot) === 0); }
        }
        listener(received);
      }),
  });
}
