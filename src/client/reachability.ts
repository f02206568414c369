import type { Logger } from "../telemetry/mod.ts";
import type { Deadline } from "./deadline.ts";
import { connectFailure } from "./fetch_errors.ts";

/** Time after a response during which the engine counts as reachable, in milliseconds. */
const REACHABLE_MS = 5_000;

/** Rejects if nothing listens, or when the signal aborts. */
export type Probe = (signal: AbortSignal) => Promise<void>;

/** The engine cannot be reached, and nothing was sent. `reason` completes "unreachable (…)". */
export class UnreachableError extends Error {
  override name = "UnreachableError";
  /** `timedOut`: the probe timed out, so another one would take as long. */
  constructor(readonly reason: string, readonly timedOut: boolean, options?: ErrorOptions) {
    super(reason, options);
  }
}

interface SharedProbe {
  readonly result: Promise<void>;
  readonly controller: AbortController;
  waiters: number;
}

/** Options of {@linkcode Reachability}. */
export interface ReachabilityOptions {
  /** Base URL for the log. */
  readonly engine: string;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Detects an unreachable engine quickly. `fetch` has no connect timeout, so an address that drops packets
 * would hold a call until its deadline; a TCP connection with a short timeout does not.
 */
export class Reachability {
  readonly #probe: Probe | undefined;
  readonly #options: ReachabilityOptions;
  #lastResponse = -Infinity;
  #shared: SharedProbe | undefined;
  #reachable: boolean | undefined;

  /** Without a probe, every engine counts as reachable. */
  constructor(probe: Probe | undefined, options: ReachabilityOptions) {
    this.#probe = probe;
    this.#options = options;
  }

  /** Records a response of any status. */
  responded(): void {
    const { now, log, engine } = this.#options;
    this.#lastResponse = now();
    if (this.#reachable === false) log.info("engine reachable again", { engine });
    this.#reachable = true;
  }

  /** Records a lost connection, so that the next call probes first. */
  lost(reason: string): void {
    const { log, engine } = this.#options;
    this.#lastResponse = -Infinity;
    if (this.#reachable !== false) log.warn("engine unreachable", { engine, reason });
    this.#reachable = false;
  }

  /**
   * Resolves once the engine may be called. Concurrent calls share one probe.
   *
   * @throws {UnreachableError} If the probe fails or times out.
   * @throws {DOMException} `AbortError`, if the deadline ends first.
   */
  async check(deadline: Deadline): Promise<void> {
    if (!this.#probe || this.#options.now() - this.#lastResponse < REACHABLE_MS) return;
    const shared = this.#shared ??= this.#start(this.#probe);
    shared.waiters++;
    try {
      await deadline.race(shared.result);
    } finally {
      // The last waiter stops the probe, which must not outlive the calls.
      if (--shared.waiters === 0) {
        if (this.#shared === shared) this.#shared = undefined;
        shared.controller.abort(new Error("The probe is no longer needed"));
      }
    }
  }

  #start(probe: Probe): SharedProbe {
    const { timeoutMs } = this.#options;
    const controller = new AbortController();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    const timer = setTimeout(() => {
      controller.abort(new UnreachableError(`no response within ${formatSeconds(timeoutMs)}`, true));
    }, timeoutMs);
    const run = async () => {
      try {
        await Promise.race([probe(controller.signal), stopped]);
      } catch (error) {
        if (error instanceof UnreachableError) throw error;
        throw new UnreachableError(connectFailure(error) ?? "connection failed", false, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    };
    const result = run();
    for (const promise of [result, stopped]) promise.catch(() => {});
    return { result, controller, waiters: 0 };
  }
}

/** Returns a probe that opens and closes a TCP connection to the host and port of `url`. */
export function tcpProbe(url: URL): Probe {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return async (signal) => {
    const connection = await Deno.connect({ hostname: url.hostname, port, signal });
    connection.close();
  };
}

/** Formats milliseconds as seconds: `1.5 s`. */
export function formatSeconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
