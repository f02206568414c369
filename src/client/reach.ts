import type { Logger } from "../telemetry/mod.ts";
import type { Deadline } from "./deadline.ts";
import { connectFailure } from "./fetch_failure.ts";

/** How long an answer proves that the engine is there. */
const TRUST_MS = 5_000;

/** Asks whether anything listens; rejects when not, obeys the signal. */
export type Probe = (signal: AbortSignal) => Promise<void>;

/** The engine cannot be reached; nothing was sent. `reason` completes "unreachable (…)". */
export class NotReached extends Error {
  override name = "NotReached";
  constructor(readonly reason: string, readonly slow: boolean, options?: ErrorOptions) {
    super(reason, options);
  }
}

interface SharedProbe {
  readonly result: Promise<void>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Decides quickly that an engine is not there. `fetch` alone has no connect timeout, so an address that swallows
 * packets would hold a call for its whole deadline; a TCP connection raced against a short timer does not.
 */
export class Reachability {
  #lastContact = -Infinity;
  #shared: SharedProbe | undefined;
  #known: boolean | undefined;

  constructor(
    private readonly probe: Probe | undefined,
    private readonly timeoutMs: number,
    private readonly now: () => number,
    private readonly log: Logger,
    private readonly engine: string,
  ) {}

  /** The engine answered, whatever it said. */
  contact(): void {
    this.#lastContact = this.now();
    if (this.#known === false) this.log.info("engine answers again", { engine: this.engine });
    this.#known = true;
  }

  /** A connection failed: the next call asks first. */
  lost(reason: string): void {
    this.#lastContact = -Infinity;
    if (this.#known !== false) this.log.warn("engine does not answer", { engine: this.engine, reason });
    this.#known = false;
  }

  /**
   * Settles once the engine may be called. Calls that come together share one probe.
   *
   * @throws {NotReached} When the probe fails or takes too long; else the deadline's own reason.
   */
  async check(deadline: Deadline): Promise<void> {
    if (!this.probe || this.now() - this.#lastContact < TRUST_MS) return;
    const shared = this.#shared ??= this.#start(this.probe);
    shared.waiters++;
    try {
      await deadline.race(shared.result);
    } finally {
      // Nobody waits any more: a probe must not outlive the calls that it was for.
      if (--shared.waiters === 0) {
        if (this.#shared === shared) this.#shared = undefined;
        shared.controller.abort(new Error("The probe is not needed any more"));
      }
    }
  }

  #start(probe: Probe): SharedProbe {
    const controller = new AbortController();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    const timer = setTimeout(() => {
      controller.abort(new NotReached(`no answer within ${seconds(this.timeoutMs)}`, true));
    }, this.timeoutMs);
    const run = async () => {
      try {
        await Promise.race([probe(controller.signal), stopped]);
      } catch (error) {
        if (error instanceof NotReached) throw error;
        throw new NotReached(connectFailure(error) ?? "connection failed", false, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    };
    const result = run();
    for (const promise of [result, stopped]) promise.catch(() => {});
    return { result, controller, waiters: 0 };
  }
}

/** A probe that opens a TCP connection to the host and port of `url`, and closes it. */
export function tcpProbe(url: URL): Probe {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return async (signal) => {
    const connection = await Deno.connect({ hostname: url.hostname, port, signal });
    connection.close();
  };
}

/** Milliseconds for people: `1.5 s`. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
