import { type RequestOptions, RequestQueue } from "./request_queue.ts";
import type { ThreadPort } from "./thread_port.ts";
import { type FromThread, RemoteError, type ToThread } from "./thread_protocol.ts";

/** Default of {@linkcode ThreadClientOptions.maxPending}. */
const DEFAULT_MAX_PENDING = 256;
/** Default timeout of {@linkcode ThreadClient.close}, in milliseconds. */
const DEFAULT_CLOSE_TIMEOUT_MS = 5000;

/** State of a thread. `failed` and `closed` are final: start another client. */
export type ThreadState = "starting" | "open" | "failed" | "closed";

/** Settings of {@linkcode ThreadClient}. */
export interface ThreadClientOptions<Notice> {
  /** Starts a thread that calls `serveThread`. */
  readonly spawn: () => ThreadPort | Promise<ThreadPort>;
  /** Passed to the service when it opens. */
  readonly settings?: unknown;
  /** Maximum number of requests without a response. @default {256} */
  readonly maxPending?: number;
  /**
   * Maximum number of requests posted to the thread at once, where they cannot be withdrawn.
   *
   * @default {Infinity}
   */
  readonly maxInFlight?: number;
  /** Timeout for opening the service, in milliseconds. @default {Infinity} */
  readonly startTimeoutMs?: number;
  /** Receives the notices of the service. */
  readonly onNotice?: (notice: Notice) => void;
  /** Called once when the thread fails, with or without pending requests. */
  readonly onFailure?: (error: ThreadError) => void;
}

/** Limits of {@linkcode ThreadClient.close}. */
export interface CloseOptions {
  /** Whether pending requests are completed. If not, they are rejected at once. @default {true} */
  readonly drain?: boolean;
  /** Time until the thread is terminated regardless, in milliseconds. @default {5000} */
  readonly timeoutMs?: number;
}

/** A request that failed because of the thread, not because of its service. */
export class ThreadError extends Error {
  /** Always `ThreadError`. */
  override name = "ThreadError";
  /** `busy`: too many pending requests. `timeout`: no response. `failed`, `closed`: the thread has ended. */
  readonly code: "busy" | "timeout" | "failed" | "closed";

  constructor(code: ThreadError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Calls a service in a thread of its own, from start to termination.
 *
 * Requests made while the thread starts are sent when its service is open. A thread that fails rejects its
 * pending requests and is not restarted.
 */
export class ThreadClient<Input, Output, Notice = never> implements AsyncDisposable {
  readonly #options: ThreadClientOptions<Notice>;
  readonly #spawned: Promise<ThreadPort | undefined>;
  readonly #opening = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #startTimer: ReturnType<typeof setTimeout> | undefined;
  #state: ThreadState = "starting";
  /** Set once the thread listens. */
  #port: ThreadPort | undefined;
  readonly #queue = new RequestQueue<Output>();
  #closed: Promise<void> | undefined;
  #isClosing = false;
  #isCloseSent = false;

  /** Starts the thread. */
  constructor(options: ThreadClientOptions<Notice>) {
    this.#options = options;
    const { spawn, startTimeoutMs } = options;
    // Prevents an unhandled rejection if nothing awaits `opened`.
    this.#opening.promise.catch(() => {});
    this.#spawned = Promise.try(spawn).then((port) => this.#connect(port), (cause) => this.#fail(cause));
    if (startTimeoutMs !== undefined) {
      const onTimeout = () => this.#fail(new Error(`The thread did not start within ${startTimeoutMs} ms`));
      this.#startTimer = setTimeout(onTimeout, startTimeoutMs);
    }
  }

  /** State of the thread. */
  get state(): ThreadState {
    return this.#state;
  }

  /** Number of requests without a response. */
  get pending(): number {
    return this.#queue.size;
  }

  /** Resolves when the service is open; rejects with a {@linkcode ThreadError} if the thread ends before. */
  get opened(): Promise<void> {
    return this.#opening.promise;
  }

  /**
   * Sends a request and returns the response.
   *
   * @throws {RemoteError} The service threw.
   * @throws {ThreadError} `busy`, `timeout`, `failed` or `closed`.
   * @throws {DOMException} `DataCloneError` for an input that cannot be cloned; the reason of `signal`.
   */
  async request(
    input: Input,
    { signal, timeoutMs, startTimeoutMs }: RequestOptions = {},
  ): Promise<Output> {
    signal?.throwIfAborted();
    this.#assertAccepting();
    const request = this.#queue.add(input);
    this.#advance();
    const abandon = (reason: unknown) => {
      this.#queue.abandon(request, reason);
      this.#advance();
    };
    const onAbort = () => abandon(signal?.reason);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const startTimer = (ms: number | undefined) => {
      clearTimeout(timer);
      const onTimeout = () => abandon(new ThreadError("timeout", `No response within ${ms} ms`));
      if (ms !== undefined) timer = setTimeout(onTimeout, ms);
    };
    signal?.addEventListener("abort", onAbort);
    let isSettled = false;
    if (this.#state === "starting" && startTimeoutMs !== undefined) {
      startTimer(startTimeoutMs);
      // If the thread fails to start, so does the request.
      this.opened.then(() => isSettled || startTimer(timeoutMs), () => {});
    } else startTimer(timeoutMs);
    try {
      return await request.promise;
    } finally {
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a notice to the service. One for a thread that is not open is lost. */
  notify(notice: unknown): void {
    if (this.#state === "open") this.#post({ type: "notice", notice });
  }

  /** Completes or rejects pending requests, lets the service close, and terminates the thread. */
  close(options: CloseOptions = {}): Promise<void> {
    return this.#closed ??= this.#close(options);
  }

  /** Same as {@linkcode ThreadClient.close} with the defaults. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Terminates the thread at once and rejects pending requests. */
  async terminate(): Promise<void> {
    this.#end("closed", new ThreadError("closed", "The thread was closed"));
    await (await this.#spawned)?.terminate();
  }

  async #close({ drain = true, timeoutMs = DEFAULT_CLOSE_TIMEOUT_MS }: CloseOptions): Promise<void> {
    this.#isClosing = true;
    if (!drain) this.#queue.rejectAll(new ThreadError("closed", "The thread was closed"));
    this.#advance();
    const timer = setTimeout(() => this.#ended.resolve(), timeoutMs);
    await this.#ended.promise;
    clearTimeout(timer);
    await this.terminate();
  }

  #assertAccepting(): void {
    if (this.#state === "failed") throw new ThreadError("failed", "The thread has failed");
    if (this.#state === "closed" || this.#isClosing) throw new ThreadError("closed", "The thread is closed");
    if (this.pending >= (this.#options.maxPending ?? DEFAULT_MAX_PENDING)) {
      throw new ThreadError("busy", `${this.pending} requests are pending, the maximum`);
    }
  }

  #connect(port: ThreadPort): ThreadPort {
    port.onMessage((message) => this.#receive(port, message as FromThread));
    port.onEnd((cause) => this.#fail(cause));
    return port;
  }

  #receive(port: ThreadPort, message: FromThread): void {
    if (this.#hasEnded) return;
    switch (message.type) {
      case "ready":
        this.#port = port;
        if (!this.#isCloseDue) this.#post({ type: "open", settings: this.#options.settings });
        break;
      case "opened":
        this.#state = "open";
        clearTimeout(this.#startTimer);
        this.#opening.resolve();
        break;
      case "openFailed":
        return this.#fail(new RemoteError(message.error));
      case "response":
        this.#queue.take(message.id)?.resolve(message.output as Output);
        break;
      case "error":
        this.#queue.take(message.id)?.reject(new RemoteError(message.error));
        break;
      case "notice":
        return this.#options.onNotice?.(message.notice as Notice);
      case "closed":
        return this.#ended.resolve();
    }
    this.#advance();
  }

  /** Posts as many requests as `maxInFlight` allows, then `close` once nothing is pending. */
  #advance(): void {
    if (this.#hasEnded || !this.#port) return;
    const { maxInFlight = Infinity } = this.#options;
    while (this.#state === "open" && this.#queue.inFlight < maxInFlight) {
      const request = this.#queue.sendNext();
      if (!request) break;
      try {
        this.#port.post({ type: "request", id: request.id, input: request.input } satisfies ToThread);
      } catch (error) {
        this.#queue.take(request.id)?.reject(error);
      }
    }
    if (this.#isCloseDue && !this.#isCloseSent) {
      this.#isCloseSent = true;
      this.#post({ type: "close" });
    }
  }

  #post(message: ToThread): void {
    try {
      this.#port?.post(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): undefined {
    if (this.#hasEnded) return;
    const error = new ThreadError("failed", "The thread has failed", { cause });
    this.#end("failed", error);
    this.#options.onFailure?.(error);
    void this.#spawned.then((port) => port?.terminate());
  }

  #end(state: "failed" | "closed", error: ThreadError): void {
    if (this.#hasEnded) return;
    this.#state = state;
    clearTimeout(this.#startTimer);
    this.#opening.reject(error);
    this.#queue.rejectAll(error);
    this.#ended.resolve();
  }

  get #isCloseDue(): boolean {
    return this.#isClosing && this.#queue.size === 0;
  }

  get #hasEnded(): boolean {
    return this.#state === "failed" || this.#state === "closed";
  }
}
