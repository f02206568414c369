import type { ThreadPort } from "../../src/async/mod.ts";

/** A thread that stays "starting" until the test lets it start. */
export interface HeldThread {
  readonly spawn: () => ThreadPort;
  /** Delivers the messages of the thread, also those that were held back. */
  readonly letStart: () => void;
}

/** Holds back the messages of the threads that `spawn` starts. */
export function heldThread(spawn: () => ThreadPort): HeldThread {
  const { promise: started, resolve: letStart } = Promise.withResolvers<void>();
  return {
    spawn: () => {
      const port = spawn();
      return { ...port, onMessage: (listener) => void started.then(() => port.onMessage(listener)) };
    },
    letStart,
  };
}
