/**
 * A closed-loop HTTP/1.1 load over raw sockets: each connection sends, waits for the whole answer, and sends again.
 * `fetch` would cost more than the server that it measures.
 *
 * @module
 */

/** What to send, how often. */
export interface LoadOptions {
  readonly port: number;
  /** One whole request: head and body. */
  readonly request: Uint8Array;
  readonly connections: number;
  /** How long to go on, in milliseconds. */
  readonly durationMs: number;
}

/** What came of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Builds the bytes of a POST with a JSON body. */
export function postRequest(path: string, body: unknown, headers: Record<string, string> = {}): Uint8Array {
  const payload = new TextEncoder().encode(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `content-length: ${payload.byteLength}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Uint8Array([...new TextEncoder().encode(head.join("\r\n") + "\r\n\r\n"), ...payload]);
}

/** Loads a server on the loopback and measures. Throws on any answer that is not a 200. */
export async function load({ port, request, connections, durationMs }: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  const end = performance.now() + durationMs;
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    const buffer = new Uint8Array(256 * 1024);
    while (performance.now() < end) {
      const sent = performance.now();
      await writeAll(connection, request);
      await readAnswer(connection, buffer);
      latencies.push(performance.now() - sent);
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** The value below which a share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.byteLength;) sent += await connection.write(bytes.subarray(sent));
}

const decoder = new TextDecoder("latin1");

async function readAnswer(connection: Deno.Conn, buffer: Uint8Array): Promise<void> {
  let filled = 0;
  let whole = Infinity;
  while (filled < whole) {
    const read = await connection.read(buffer.subarray(filled));
    if (read === null) throw new Error("The server closed the connection");
    filled += read;
    if (whole === Infinity) {
      const text = decoder.decode(buffer.subarray(0, Math.min(filled, 2048)));
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd < 0) continue;
      if (!text.startsWith("HTTP/1.1 200")) throw new Error(`Not a 200: ${text.slice(0, 300)}`);
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined) throw new Error(`No Content-Length: ${text.slice(0, headEnd)}`);
      whole = headEnd + 4 + Number(length);
      if (whole > buffer.byteLength) throw new Error(`An answer of ${whole} bytes does not fit the buffer`);
    }
  }
}
