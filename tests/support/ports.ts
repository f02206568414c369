/** URL of a port on which nothing listens: IANA assigns it to no service, and `fetch` does not block it as 1. */
export const CLOSED_URL = "http://127.0.0.1:4";

/** Lowest port and number of ports that may be chosen. Systems take free ones from 32768 (Linux) or 49152 (RFC 6335). */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** Returns a port on which nothing listens. No other test gets it when it listens on any free port. */
export function unusedPort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
