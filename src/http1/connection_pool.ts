import { clientAddress } from "../web/mod.ts";
import { TickClock } from "./clock.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { DelayedWatch } from "./delayed_watch.ts";
import { Output } from "./output.ts";
import { sendFinalResponse } from "./send_response.ts";

/** Maximum number of connections over the limit that get a response before they are closed. */
const MAX_REJECTING = 32;

/** Maximum number of connections that are closed when the process has no descriptor left. */
const RELEASED_AT_ONCE = 16;

/** Options of {@linkcode ConnectionPool}. */
export interface ConnectionPoolOptions extends Omit<ConnectionOptions, "clock" | "delayedWatch"> {
  /** Maximum number of open connections. */
  readonly maxConnections: number;
}

/**
 * The open connections of a server.
 *
 * Threat: clients that open connections and send nothing, or a byte now and then, until the process has no
 * descriptor left. At the limit a new connection replaces the one that has waited longest for a complete
 * request head, among those of the address with the most connections: an attacker displaces itself first. If
 * there is none, it replaces one whose client does not send the announced body or does not read its response.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #clock: TickClock;
  readonly #delayedWatch = new DelayedWatch();
  readonly #connections = new Set<Connection>();
  /** Number of connections by address. */
  readonly #counts = new Map<string, number>();
  /** Number of connections over the limit whose 503 is being sent. */
  #rejecting = 0;
  #onEmpty: (() => void) | undefined;

  constructor(options: ConnectionPoolOptions) {
    const { head, idle, write, stall, linger, lingerTotal } = options.timeouts;
    this.#options = options;
    const shortestMs = Math.min(head, idle, write, stall, linger, lingerTotal);
    this.#clock = new TickClock(shortestMs, () => this.#expire());
  }

  /** Number of open connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Serves a connection, or rejects it with 503 at the limit. */
  add(conn: Deno.TcpConn): void {
    if (this.#connections.size >= this.#options.maxConnections) {
      const newcomers = this.#counts.get(clientAddress(conn)) ?? 0;
      if (!this.#evict(newcomers)) {
        this.#rejectBusy(conn);
        return;
      }
    }
    const connection = new Connection(conn, {
      ...this.#options,
      clock: this.#clock,
      delayedWatch: this.#delayedWatch,
    });
    const { address } = connection;
    this.#connections.add(connection);
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    this.#clock.run(true);
    connection.run().then(() => this.#remove(connection));
  }

  /** Closes some connections that can be spared, so that their descriptors can be used again. */
  releaseDescriptors(): void {
    for (let released = 0; released < RELEASED_AT_ONCE && this.#evict(); released++);
  }

  /**
   * Closes the connection that can best be spared.
   *
   * @param newcomers Number of connections of the client that needs one; default: the client is unknown.
   * @returns Whether there was one: without a request in progress, or with a client that does not send the
   * body of its request or does not read the response.
   */
  #evict(newcomers = Infinity): boolean {
    const spared = this.#longestSince(({ waitingSince }) => waitingSince) ?? this.#stalled(newcomers);
    spared?.close();
    if (spared) this.#remove(spared);
    return spared !== undefined;
  }

  /**
   * Returns the connection whose client has neither sent bytes of its body nor read its response for the
   * longest time.
   */
  #stalled(newcomers: number): Connection | undefined {
    const { write, stall } = this.#options.timeouts;
    const { now } = this.#clock;
    const writeTicks = this.#clock.after(write) - now;
    const latest = now - (this.#clock.after(stall) - now);
    const most = Math.max(...this.#counts.values());
    // A client that sends a byte now and then never stalls: it must not hold more than its share. Clients of
    // one address, such as a proxy, do not displace each other's uploads.
    const isUnfair = most > newcomers + 1;
    return this.#longestSince((connection) => {
      const { bodyAwaitedSince, deadline } = connection;
      if (isUnfair && bodyAwaitedSince !== Infinity && this.#countOf(connection) === most) {
        return bodyAwaitedSince;
      }
      // A request in progress has a deadline only while its response is written.
      const since = Math.min(bodyAwaitedSince, deadline - writeTicks);
      return since <= latest ? since : Infinity;
    });
  }

  /**
   * Returns the connection with the earliest tick among those of the address with the most connections.
   *
   * @param since Returns the tick of a connection; Infinity: it cannot be spared.
   */
  #longestSince(since: (connection: Connection) => number): Connection | undefined {
    let longest: Connection | undefined;
    let longestTick = Infinity;
    let longestCount = 0;
    for (const connection of this.#connections) {
      const tick = since(connection);
      if (tick === Infinity) continue;
      const count = this.#countOf(connection);
      if (count < longestCount || (count === longestCount && tick >= longestTick)) continue;
      longest = connection;
      longestTick = tick;
      longestCount = count;
    }
    return longest;
  }

  /** Ends all connections; those with a request in progress get `timeouts.drain` for it. */
  async drain(): Promise<void> {
    for (const connection of this.#connections) connection.end();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, this.#options.timeouts.drain));
    const empty = new Promise<void>((resolve) => this.#onEmpty = resolve);
    if (this.#connections.size > 0) await Promise.race([empty, timeout]);
    clearTimeout(timer);
    for (const connection of this.#connections) {
      connection.close();
      this.#remove(connection);
    }
  }

  /**
   * Responds with 503, then closes the connection. One read takes the request, so that the response is not
   * lost to a reset.
   */
  async #rejectBusy(conn: Deno.TcpConn): Promise<void> {
    if (this.#rejecting >= MAX_REJECTING) return close(conn);
    this.#rejecting++;
    const timer = setTimeout(() => close(conn), this.#options.timeouts.linger);
    try {
      const message = "Too many connections: try again in a moment";
      const output = new Output(conn, { onWrite: () => {}, onWritten: () => {} });
      await sendFinalResponse(output, this.#options.errorResponse(503, message));
      await conn.closeWrite();
      await conn.read(new Uint8Array(4096));
    } catch {
      // The client is gone.
    } finally {
      clearTimeout(timer);
      close(conn);
      this.#rejecting--;
    }
  }

  #countOf({ address }: Connection): number {
    return this.#counts.get(address) ?? 0;
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const count = this.#countOf(connection) - 1;
    if (count > 0) this.#counts.set(connection.address, count);
    else this.#counts.delete(connection.address);
    if (this.#connections.size > 0) return;
    this.#clock.run(false);
    this.#delayedWatch[Symbol.dispose]();
    this.#onEmpty?.();
  }

  #expire(): void {
    for (const connection of this.#connections) {
      if (connection.deadline <= this.#clock.now) connection.expire();
    }
  }
}

function close(conn: Deno.TcpConn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
