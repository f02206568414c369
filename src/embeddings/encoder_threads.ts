import { type RequestOptions, ThreadClient, ThreadError, type ThreadPort } from "../async/mod.ts";
import type {
  EncoderRequest,
  EncoderResponse,
  EncoderSettings,
  ModelToLoad,
  SharedModel,
} from "./encoder_protocol.ts";
import type { Vectors } from "./model.ts";

/** Settings of {@linkcode EncoderThreads}. */
export interface EncoderThreadsOptions {
  /** Starts a thread that runs `serveEncoder`, or connects to one, by its number. */
  readonly spawn: (index: number) => ThreadPort;
  /** Model to load. */
  readonly model: Pick<ModelToLoad, "path" | "checksum">;
  /** Maximum number of threads. */
  readonly size: number;
}

/**
 * Maximum number of requests of a thread. Beyond it, a response would take seconds: full-text results at once are more
 * useful.
 */
const MAX_PENDING = 32;

type EncoderThread = ThreadClient<EncoderRequest, EncoderResponse>;

/**
 * Threads with one copy of a model. The first thread loads it when it is needed; the others get it from there.
 * A thread that failed or was stopped is started again by its next request.
 */
export class EncoderThreads implements AsyncDisposable {
  readonly #options: EncoderThreadsOptions;
  /** The loaded model, with the settings of each thread. */
  #shares: Promise<readonly SharedModel[]> | undefined;
  readonly #threads = new Map<number, Promise<EncoderThread>>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: EncoderThreadsOptions) {
    this.#options = options;
  }

  /**
   * Encodes texts in a thread, one request after the other.
   *
   * @param index Number of the thread, from 0.
   * @returns The vector of each text, or `null` for one without a known token.
   * @throws {RemoteError} The encoder failed.
   * @throws {ThreadError} The thread failed; its cause is a `RemoteError` if the model cannot be loaded.
   * @throws The reason of `signal`.
   */
  async encode(
    index: number,
    texts: readonly string[],
    options: RequestOptions = {},
  ): Promise<Vectors> {
    const thread = await (this.#threads.get(index) ?? this.#start(index));
    return await thread.request(texts, options) as Vectors;
  }

  /** Ends a thread without waiting for its request. */
  stop(index: number): void {
    const thread = this.#threads.get(index);
    if (!thread) return;
    this.#threads.delete(index);
    const ended = thread.then((client) => client.terminate(), () => {}).finally(() => {
      this.#ending.delete(ended);
    });
    this.#ending.add(ended);
  }

  /** Ends all threads without waiting for their requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const index of [...this.#threads.keys()]) this.stop(index);
    await Promise.all(this.#ending);
  }

  #start(index: number): Promise<EncoderThread> {
    const forget = () => {
      if (this.#threads.get(index) === thread) this.#threads.delete(index);
    };
    const thread = this.#open(index, forget);
    thread.catch(forget);
    this.#threads.set(index, thread);
    return thread;
  }

  /** @param onFailure Called when the thread has ended by itself. */
  async #open(index: number, onFailure: () => void): Promise<EncoderThread> {
    if (this.#isClosed) throw new ThreadError("closed", "The encoder threads are closed");
    const { spawn, model, size: encoders } = this.#options;
    const client = (settings: EncoderSettings | undefined): EncoderThread =>
      // One at a time: a request in flight cannot be withdrawn, and would delay others although nobody waits for it.
      new ThreadClient({
        spawn: () => spawn(index),
        settings,
        onFailure,
        maxInFlight: 1,
        maxPending: MAX_PENDING,
      });
    if (this.#shares) return client((await this.#shares)[index]);
    const thread = client({ type: "load", ...model, encoders, index });
    this.#shares = thread.request("share") as Promise<readonly SharedModel[]>;
    // The next thread tries to load it again.
    this.#shares.catch(() => this.#shares = undefined);
    return thread;
  }
}
