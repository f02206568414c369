import { AsyncLocalStorage } from "node:async_hooks";
import { ThreadClient, type ThreadPort } from "../../../async/mod.ts";
import type { SearchRequest } from "../../../contract/mod.ts";
import { currentRequest, currentTraceparent } from "../../../telemetry/mod.ts";
import type { VectorSearch } from "../../search/mod.ts";
import { SharedRanking, totalsOf } from "../vectors/mod.ts";
import {
  type EarlyVectors,
  MAX_READS,
  type ReadRequest,
  type SearchThreadSettings,
  type VectorNotice,
  type VectorQuestion,
} from "./protocol.ts";
import type { PageRequest, ReadOperation } from "./reads.ts";
import { VectorRelay } from "./vector_relay.ts";

/** Time until a thread that closes is terminated, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

/** Time in which a thread should notice that a read has ended, in milliseconds: one SQL statement can take long. */
const OVERDUE_MS = 500;

/** Options of {@linkcode SearchThread}. */
export interface SearchThreadOptions {
  readonly settings: Pick<SearchThreadSettings, "dataDir" | "warmsUp">;
  /** Starts a thread that runs `serve` of thread.ts. */
  readonly spawn: () => ThreadPort;
  readonly vectors: VectorSearch | undefined;
  /** Called when the thread has failed or may take another read. */
  readonly onChange: (thread: SearchThread) => void;
}

/** A read to run, with the context of its caller. */
export class PendingRead {
  readonly operation: ReadOperation;
  readonly input: unknown;
  readonly requestId: string | undefined = currentRequest()?.id;
  readonly traceparent: string | undefined = currentTraceparent();
  /** Runs a function in the asynchronous context of the caller, if the read may ask for vectors. */
  readonly inContext: <T>(run: () => T) => T;
  readonly result: PromiseWithResolvers<unknown> = Promise.withResolvers();
  /** When the read was ended, in the time of `performance.now()`. */
  endedAt = Infinity;
  /** Called when the read is ended. */
  onEnd: (() => void) | undefined;
  /** Number of threads that failed while they ran the read. */
  failures = 0;
  /** A controller and its listeners cost more than the rest of a read without vectors, so they are created for those only. */
  #controller: AbortController | undefined;
  #reason: unknown;

  /** @param options.hasVectors Whether the read may ask for vectors. @default {true} */
  constructor(
    operation: ReadOperation,
    input: unknown,
    { hasVectors = true }: { readonly hasVectors?: boolean } = {},
  ) {
    this.operation = operation;
    this.input = input;
    this.inContext = hasVectors ? AsyncLocalStorage.snapshot() : (run) => run();
  }

  /** Whether the read was ended. */
  get hasEnded(): boolean {
    return this.endedAt !== Infinity;
  }

  /** Aborts with the reason to end the read. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.hasEnded) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Rejects the read, and ends it in its thread. */
  end(reason: unknown): void {
    if (this.hasEnded) return;
    this.endedAt = performance.now();
    this.#reason = reason;
    this.result.reject(reason);
    this.onEnd?.();
    this.#controller?.abort(reason);
  }
}

/** A read in the thread. */
interface RunningRead {
  readonly slot: number;
  readonly startedAt: number;
  readonly read: PendingRead;
  readonly relay: VectorRelay | undefined;
  isWaiting: boolean;
  /** Whether a question has no reply yet. */
  isAsking: boolean;
}

/** The owner's end of one search thread. */
export class SearchThread {
  readonly #options: SearchThreadOptions;
  readonly #client: ThreadClient<ReadRequest, unknown, VectorNotice>;
  readonly #ended = sharedNumbers();
  /** Memory per slot in which the thread waits for a ranking. */
  readonly #memories = Array.from({ length: MAX_READS }, () => SharedRanking.allocate());
  readonly #rankings = this.#memories.map((memory) => new SharedRanking(memory));
  readonly #reads = new Map<number, RunningRead>();
  /** Number of reads that wait for vectors, so that the thread can run another. */
  #waiting = 0;
  /** Id of the last ranking that was begun early. */
  #lastEarly = 0;
  #idleSince = performance.now();

  /** Starts the thread. */
  constructor(options: SearchThreadOptions) {
    this.#options = options;
    this.#client = new ThreadClient({
      spawn: options.spawn,
      settings: {
        ...options.settings,
        ended: this.#ended,
        rankings: this.#memories,
      } satisfies SearchThreadSettings,
      maxPending: Infinity,
      onNotice: (notice) => void this.#relay(notice),
      onFailure: () => options.onChange(this),
    });
  }

  /** Whether the thread runs. */
  get isAlive(): boolean {
    return this.#client.state === "starting" || this.#client.state === "open";
  }

  /** Whether the thread can begin a read at once. */
  get isFree(): boolean {
    return this.isAlive && this.#reads.size - this.#waiting === 0 && this.#reads.size < MAX_READS;
  }

  /** Whether the thread still works on a read that ended a while ago. */
  get isOverdue(): boolean {
    const latest = performance.now() - OVERDUE_MS;
    return this.#reads.values().some(({ read, isWaiting }) => !isWaiting && read.endedAt < latest);
  }

  /** Duration so far of the read that the thread works on, in milliseconds; 0 without one. */
  get busyMs(): number {
    const startedAt = this.#reads.values().find(({ isWaiting }) => !isWaiting)?.startedAt;
    return startedAt === undefined ? 0 : performance.now() - startedAt;
  }

  /** Number of reads in the thread. */
  get size(): number {
    return this.#reads.size;
  }

  /** Time since the last read, in milliseconds; 0 while there is one. */
  get idleMs(): number {
    return this.#reads.size > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /**
   * Runs a read, and settles it unless it has ended before.
   *
   * @returns Resolves to undefined when the thread has completed the read, or to the error of a thread that has failed.
   */
  async run(read: PendingRead): Promise<{ readonly failure: unknown } | undefined> {
    const slot = this.#freeSlot();
    const { vectors } = this.#options;
    const relay = vectors && new VectorRelay(vectors, read.signal);
    Atomics.store(this.#ended, slot, 0);
    this.#rankings[slot]!.reset();
    read.onEnd = () => {
      Atomics.store(this.#ended, slot, 1);
      this.release();
    };
    const startedAt = performance.now();
    const running: RunningRead = { slot, startedAt, read, relay, isWaiting: false, isAsking: false };
    this.#reads.set(slot, running);
    try {
      const early = this.#begin(running);
      const output = await this.#client.request({
        slot,
        operation: read.operation,
        input: read.input,
        vectors: vectors ? totalsOf(vectors) : null,
        early,
        requestId: read.requestId,
        traceparent: read.traceparent,
      });
      read.result.resolve(output);
    } catch (error) {
      if (!this.isAlive) return { failure: error };
      read.result.reject(error);
    } finally {
      read.onEnd = undefined;
      this.#setWaiting(slot, false);
      this.#reads.delete(slot);
      this.#idleSince = performance.now();
      this.#options.onChange(this);
    }
    return undefined;
  }

  /** Has the thread receive messages, if it waits for a ranking: it can run another read then. */
  release(): void {
    for (const slot of this.#reads.keys()) this.#rankings[slot]!.interrupt();
  }

  /** Ends the thread, and rejects the reads in it. */
  close(): Promise<void> {
    this.release();
    return this.#client.close({ drain: false, timeoutMs: CLOSE_TIMEOUT_MS });
  }

  async #relay(notice: VectorNotice): Promise<void> {
    const running = this.#reads.get(notice.slot);
    const relay = running?.relay;
    if (!relay) return;
    const { inContext } = running.read;
    if ("query" in notice) return inContext(() => relay.embed(notice.query));
    if ("isWaiting" in notice) return this.#startWaiting(notice.slot);
    const replied = this.#reply(running, relay, notice);
    // The thread ranks by words while the main thread ranks by vectors, and says when it has finished.
    if (notice.question.type === "embedNote") this.#startWaiting(notice.slot);
    await replied;
  }

  /** Begins what a search will ask for, while its thread ranks by words. */
  #begin(running: RunningRead): EarlyVectors | undefined {
    const { read: { operation, input, inContext }, relay } = running;
    if (!relay || (operation !== "search" && operation !== "searchPage")) return undefined;
    const request = operation === "search" ? input as SearchRequest : (input as PageRequest).request;
    const early = inContext(() => relay.begin(request));
    if (early?.limit === undefined) return early && { text: early.text };
    const { text, limit } = early;
    const id = --this.#lastEarly;
    void this.#reply(running, relay, {
      id,
      question: { type: "rank", request: { limit, allowed: undefined } },
    });
    return { text, ranking: { id, limit } };
  }

  async #reply(
    running: RunningRead,
    relay: VectorRelay,
    { id, question }: { readonly id: number; readonly question: VectorQuestion },
  ): Promise<void> {
    const { slot, read } = running;
    running.isAsking = true;
    const reply = await read.inContext(() => relay.reply(id, question, this.#memories[slot]!));
    running.isAsking = false;
    if (this.#rankings[slot]!.isTaken(id)) return;
    if (this.#reads.get(slot) === running) this.#setWaiting(slot, false);
    // A notice for a thread that starts would be lost. If it fails, nobody waits for the reply.
    await this.#client.opened.catch(() => {});
    this.#client.notify(reply);
    this.release();
  }

  #startWaiting(slot: number): void {
    if (!this.#reads.get(slot)?.isAsking) return;
    this.#setWaiting(slot, true);
    this.#options.onChange(this);
  }

  #setWaiting(slot: number, isWaiting: boolean): void {
    const running = this.#reads.get(slot);
    if (!running || running.isWaiting === isWaiting) return;
    running.isWaiting = isWaiting;
    this.#waiting += isWaiting ? 1 : -1;
  }

  #freeSlot(): number {
    for (let slot = 0; slot < MAX_READS; slot++) if (!this.#reads.has(slot)) return slot;
    throw new RangeError(`A search thread runs at most ${MAX_READS} reads`);
  }
}

/** Returns a number per slot in shared memory. */
function sharedNumbers(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(MAX_READS * Int32Array.BYTES_PER_ELEMENT));
}
