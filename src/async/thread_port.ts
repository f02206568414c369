/** One end of a message channel between a thread and its owner. Messages must be structured-cloneable. */
export interface ThreadChannel {
  /** Sends a message. Throws `DataCloneError`, and sends nothing, if it cannot be cloned. */
  post(message: unknown): void;
  /** Sets the listener for messages from the other end. */
  onMessage(listener: (message: unknown) => void): void;
}

/** The owner's end: a worker thread, or anything else that can be terminated. */
export interface ThreadPort extends ThreadChannel {
  /** Sets the listener for the end of the thread. It may be called several times, and after `terminate`. */
  onEnd(listener: (cause: unknown) => void): void;
  /** Ends the thread without waiting for its current task. */
  terminate(): Promise<void>;
}

/** The part of a web worker's global scope that threads use. */
export interface WorkerScope {
  // deno-lint-ignore no-explicit-any -- any message
  onmessage: ((event: MessageEvent<any>) => void) | null;
  postMessage(message: unknown): void;
}

/**
 * Wraps a web worker.
 *
 * @param worker Must have been created in the same task, without an `await` in between: Deno 2.9.6 drops
 * messages that arrive before a listener is set, even one microtask later.
 */
export function webWorkerPort(worker: Worker): ThreadPort {
  const messages = new BufferedListener();
  const ends = new BufferedListener();
  worker.onmessage = ({ data }) => messages.call(data);
  worker.onmessageerror = () => ends.call(new Error("A message could not be deserialized"));
  worker.onerror = (event) => {
    // Otherwise Deno ends the whole process.
    event.preventDefault();
    ends.call(new Error(event.message));
  };
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => messages.set(listener),
    onEnd: (listener) => ends.set(listener),
    terminate: () => Promise.resolve(worker.terminate()),
  };
}

/** The thread's end of {@linkcode webWorkerPort}. */
export function workerScopeChannel(scope: WorkerScope): ThreadChannel {
  return {
    post: (message) => scope.postMessage(message),
    onMessage(listener) {
      scope.onmessage = ({ data }) => listener(data);
    },
  };
}

/** Keeps values until a listener is set. */
export class BufferedListener {
  #listener: ((value: unknown) => void) | undefined;
  #early: unknown[] = [];

  call(value: unknown): void {
    if (this.#listener) this.#listener(value);
    else this.#early.push(value);
  }

  set(listener: (value: unknown) => void): void {
    this.#listener = listener;
    for (const value of this.#early.splice(0)) listener(value);
  }
}
