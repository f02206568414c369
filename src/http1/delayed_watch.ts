/** Delay after which the client of a request is watched, in milliseconds. */
const DELAY_MS = 10;

/** A connection whose client can be watched for a disconnect. */
export interface Watchable {
  /** Starts watching, unless the request has ended. */
  watch(): void;
}

/**
 * Starts watching the clients of requests that are not answered at once. Watching means reading, which would
 * delay the response of every fast request; one timer serves all requests of an interval.
 */
export class DelayedWatch implements Disposable {
  #waiting: Watchable[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  add(connection: Watchable): void {
    this.#waiting.push(connection);
    this.#timer ??= setTimeout(() => this.#start(), DELAY_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #start(): void {
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const connection of waiting) connection.watch();
  }
}
