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
 * request, among those of the address with the most connections: an attacker displaces itself first. A client
 * that sends its request at once is never displaced.
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
    const { head, idle, write, stall, linger } = options.timeouts;
    this.#options = options;
    this.#clock = new TickClock(Math.min(head, idle, write, stall, linger), () => this.#expire());
  }

  /** Serves a connection, or rejects it with 503 at the limit. */
  add(conn: Deno.TcpConn): void {
    if (this.#connections.size >= this.#options.maxConnections && !this.#evict()) {
      this.#rejectBusy(conn);
      return;
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

  /** Closes some connections without a request in progress, so that their descriptors can be used again. */
  releaseDescriptors(): void {
    for (let released = 0; released < RELEASED_AT_ONCE && this.#evict(); released++);
  }

  /**
   * Closes the connection that can best be spared.
   *
   * @returns Whether there was one: without a request in progress, or with a client that does not read.
   */
  #evict(): boolean {
    let spared: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.waitingSince === Infinity) continue;
      if (!spared || this.#isBefore(connection, spared)) spared = connection;
    }
    spared ??= this.#stalled();
    spared?.close();
    if (spared) this.#remove(spared);
    return spared !== undefined;
  }

  /** Returns the connection whose client has not read its response for the longest time. */
  #stalled(): Connection | undefined {
    const { write, stall } = this.#options.timeouts;
    const latest = this.#clock.after(write) - (this.#clock.after(stall) - this.#clock.now);
    let stalled: Connection | undefined;
    // A request in progress has a deadline only while its response is written.
    for (const connection of this.#connections) {
      if (connection.deadline <= Math.min(latest, stalled?.deadline ?? Infinity)) stalled = connection;
    }
    return stalled;
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

  /** Whether `a` is evicted before `b`. */
  #isBefore(a: Connection, b: Connection): boolean {
    const more = this.#countOf(a) - this.#countOf(b);
    return more === 0 ? a.waitingSince < b.waitingSince : more > 0;
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
