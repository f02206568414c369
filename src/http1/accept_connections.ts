import { delay } from "../async/mod.ts";
import type { Logger } from "../telemetry/mod.ts";

/** Delay after the first failure to accept a connection, in milliseconds; it doubles with each further one. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1000;
/** Minimum time between two log entries about failures, in milliseconds: an attacker must not fill the log. */
const LOG_INTERVAL_MS = 60_000;

/** Options of {@linkcode acceptConnections}. */
export interface AcceptOptions {
  readonly onConnection: (conn: Deno.TcpConn) => void;
  /** Called when the process or the system has no descriptor left. */
  readonly onExhausted: () => void;
  /** Aborts when the listener is closed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Accepts connections until the listener is closed. Never rejects: an error, such as one for too many open
 * files, delays the next attempt and has no other effect.
 */
export async function acceptConnections(
  listener: Deno.TcpListener,
  { onConnection, onExhausted, signal, log }: AcceptOptions,
): Promise<void> {
  let failures = 0;
  let isLogged = false;
  let lastLogged = -Infinity;
  while (!signal.aborted) {
    try {
      const conn = await listener.accept();
      if (isLogged) log.info("connections are accepted again", { failures });
      failures = 0;
      isLogged = false;
      onConnection(conn);
    } catch (error) {
      if (signal.aborted) return;
      // The client gave up while it waited.
      if (error instanceof Deno.errors.ConnectionAborted) continue;
      failures++;
      if (performance.now() - lastLogged > LOG_INTERVAL_MS) {
        lastLogged = performance.now();
        isLogged = true;
        log.error(
          "cannot accept connections: raise the limit of open files, or lower the number of clients",
          {
            error: error as Error,
          },
        );
      }
      onExhausted();
      await delay(Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS), signal, { ref: true });
    }
  }
}
