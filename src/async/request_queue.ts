/** Limits of the wait for one response. Giving up does not interrupt the thread. */
export interface RequestOptions {
  /** Abandons the request. */
  readonly signal?: AbortSignal | undefined;
  /** Time until the request is abandoned, in milliseconds. @default {Infinity} */
  readonly timeoutMs?: number | undefined;
  /**
   * Time that a thread may need to start before `timeoutMs` begins, in milliseconds.
   *
   * @default {undefined} `timeoutMs` begins at once.
   */
  readonly startTimeoutMs?: number | undefined;
}

/** A request without a response. */
export interface QueuedRequest<Output> extends PromiseWithResolvers<Output> {
  readonly id: number;
  readonly input: unknown;
}

/** Requests without a response, in order: first waiting to be sent, then in flight. */
export class RequestQueue<Output> {
  readonly #waiting = new Map<number, QueuedRequest<Output>>();
  readonly #inFlight = new Map<number, QueuedRequest<Output>>();
  #nextId = 1;

  /** Number of requests without a response. An abandoned one counts while it is in flight. */
  get size(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  /** Number of requests that were sent. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Adds a request to send. */
  add(input: unknown): QueuedRequest<Output> {
    const request = { id: this.#nextId++, input, ...Promise.withResolvers<Output>() };
    this.#waiting.set(request.id, request);
    return request;
  }

  /** Marks the next waiting request as in flight and returns it. */
  sendNext(): QueuedRequest<Output> | undefined {
    const [request] = this.#waiting.values();
    if (!request) return undefined;
    this.#waiting.delete(request.id);
    this.#inFlight.set(request.id, request);
    return request;
  }

  /** Removes a request in flight and returns it. */
  take(id: number): QueuedRequest<Output> | undefined {
    const request = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    return request;
  }

  /** Rejects a request. If it waits, it is never sent; in flight, it counts until its response arrives. */
  abandon({ id, reject }: QueuedRequest<Output>, reason: unknown): void {
    this.#waiting.delete(id);
    reject(reason);
  }

  /** Rejects and removes every request. */
  rejectAll(error: Error): void {
    for (const { reject } of [...this.#waiting.values(), ...this.#inFlight.values()]) reject(error);
    this.#waiting.clear();
    this.#inFlight.clear();
  }
}
