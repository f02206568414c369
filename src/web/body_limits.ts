import type { BodyMemory } from "./body_memory.ts";

/*
 * Threats: a body larger than memory or disk, a body that never ends, and a body sent one byte at a time to
 * hold a connection. `Deno.serve` and `fetch` limit none of these.
 */

/**
 * Minimum rate of request bodies, in bytes per millisecond: a large body gets one second more per 64 KiB
 * received, so that slow connections can send bodies of any size.
 */
export const MIN_BYTES_PER_MS = 64;

/** Why a body could not be read. */
export type BodyErrorCode =
  /** More bytes than allowed, declared or received. */
  | "too_large"
  /** The body did not arrive in time. */
  | "timeout"
  /** {@linkcode BodyLimits.signal} aborted; `cause` is its reason. */
  | "aborted"
  /** The sender disconnected or broke the framing; `cause` is the stream's error. */
  | "disconnected"
  /** {@linkcode readText} only: the bytes are not UTF-8. */
  | "invalid_utf8"
  /** {@linkcode BodyLimits.isJson} only: a large JSON text is an array, or has too many values. */
  | "too_complex"
  /** {@linkcode BodyLimits.memory} has no capacity left. */
  | "busy";

/** A body that could not be read within its limits. */
export class BodyError extends Error {
  /** Always `BodyError`. */
  override name = "BodyError";
  /** See {@linkcode BodyErrorCode}. */
  readonly code: BodyErrorCode;

  constructor(code: BodyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Limits on the size of a body and on the time it takes to arrive. */
export interface BodyLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /**
   * Maximum time in milliseconds for the whole body to arrive.
   *
   * @default Infinity
   */
  readonly timeoutMs?: number;
  /**
   * Minimum rate in bytes per millisecond for bodies that take longer than `timeoutMs`: each byte received
   * extends the timeout by the time that it may take at this rate. A large body gets enough time, a drip-fed
   * one does not.
   *
   * @default no extension
   */
  readonly minBytesPerMs?: number;
  /**
   * Maximum time in milliseconds between two chunks, while the consumer waits for one.
   *
   * @default Infinity
   */
  readonly idleTimeoutMs?: number;
  /**
   * Memory that {@linkcode readBytes} charges for large bodies as they arrive. The caller disposes of it.
   *
   * @default no limit besides `maxBytes`
   */
  readonly memory?: Pick<BodyMemory, "tryGrow">;
  /**
   * Whether the body is a JSON object. {@linkcode readBytes} rejects a large one of too many values or levels
   * while it arrives.
   *
   * @default {false}
   */
  readonly isJson?: boolean;
  /**
   * Maximum number of values of a large JSON object.
   *
   * @default {10_000}
   */
  readonly maxJsonValues?: number;
  /** Stops reading when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Starts a timer and returns a function that cancels it; for tests.
   *
   * @default `setTimeout`
   */
  readonly startTimer?: (onTimeout: () => void, ms: number) => () => void;
}

/** Applies the time limits and the signal of {@linkcode BodyLimits} to one body. */
export class BodyWatch implements Disposable {
  readonly #limits: BodyLimits;
  readonly #onStop: (error: BodyError) => void;
  readonly #startTimer: NonNullable<BodyLimits["startTimer"]>;
  #error: BodyError | undefined;
  #totalDeadline: number;
  #idleDeadline = Infinity;
  /** The deadline that the running timer was started for; Infinity without a timer. */
  #timerDeadline = Infinity;
  #cancelTimer: (() => void) | undefined;

  /** @param onStop Called once, when the body has to be given up. */
  constructor(limits: BodyLimits, onStop: (error: BodyError) => void) {
    this.#limits = limits;
    this.#onStop = onStop;
    this.#startTimer = limits.startTimer ?? startTimeout;
    this.#totalDeadline = performance.now() + (limits.timeoutMs ?? Infinity);
    if (limits.signal?.aborted) this.#onAbort();
    else limits.signal?.addEventListener("abort", this.#onAbort);
  }

  /** Why the body was given up. */
  get error(): BodyError | undefined {
    return this.#error;
  }

  /** The consumer waits for bytes: starts the idle timeout. */
  onWaiting(): void {
    const { idleTimeoutMs } = this.#limits;
    if (idleTimeoutMs !== undefined) this.#idleDeadline = performance.now() + idleTimeoutMs;
    this.#schedule(performance.now());
  }

  /** Bytes have arrived: ends the idle timeout and extends the total one. */
  onReceived(bytes: number): void {
    const { minBytesPerMs } = this.#limits;
    this.#idleDeadline = Infinity;
    if (minBytesPerMs !== undefined) this.#totalDeadline += bytes / minBytesPerMs;
  }

  [Symbol.dispose](): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#limits.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Starts a timer unless one is running that fires in time; a timer that fires early is started again. */
  #schedule(now: number): void {
    const deadline = Math.min(this.#totalDeadline, this.#idleDeadline);
    if (this.#error || deadline >= this.#timerDeadline) return;
    this.#cancelTimer?.();
    this.#timerDeadline = deadline;
    this.#cancelTimer = this.#startTimer(() => {
      this.#timerDeadline = Infinity;
      this.#cancelTimer = undefined;
      // At least the timer's own deadline: a coarse timer may have another clock.
      const firedAt = Math.max(deadline, performance.now());
      if (Math.min(this.#totalDeadline, this.#idleDeadline) > firedAt) this.#schedule(firedAt);
      else this.#stop(new BodyError("timeout", "The body did not arrive in time"));
    }, Math.max(0, deadline - now));
  }

  #onAbort = (): void => {
    const cause = this.#limits.signal?.reason;
    this.#stop(new BodyError("aborted", "Reading the body was aborted", { cause }));
  };

  #stop(error: BodyError): void {
    this.#error = error;
    this[Symbol.dispose]();
    this.#onStop(error);
  }
}

function startTimeout(onTimeout: () => void, ms: number): () => void {
  // A longer delay would overflow to 1 ms.
  const timer = setTimeout(onTimeout, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}
