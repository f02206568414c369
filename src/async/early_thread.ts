import type { ThreadPort } from "./thread_port.ts";

/** A thread that starts before it is needed: it loads its modules meanwhile. Disposing ends it if nothing has taken it. */
export class EarlyThread implements AsyncDisposable {
  #port: ThreadPort | undefined;

  /**
   * Starts the thread.
   *
   * @param spawn Starts a thread whose port keeps messages until a listener is set.
   */
  constructor(spawn: () => ThreadPort) {
    this.#port = spawn();
  }

  /** Returns the thread, once. */
  take(): ThreadPort | undefined {
    const port = this.#port;
    this.#port = undefined;
    return port;
  }

  /** Ends the thread, unless it was taken. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.take()?.terminate();
  }
}
