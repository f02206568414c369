/**
 * A closed-loop HTTP/1.1 load generator on raw sockets: each connection sends a request, reads the whole
 * response and repeats. `fetch` would cost more than the server under test.
 *
 * @module
 */

import { quantile } from "./measure.ts";

/** Options of {@linkcode load}. */
export interface LoadOptions {
  readonly port: number;
  /** Bytes of a request: head and body. Several are sent in turn. */
  readonly request: Uint8Array | readonly Uint8Array[];
  readonly connections: number;
  /** Maximum duration in milliseconds. @default without a limit */
  readonly durationMs?: number;
  /** Maximum number of requests. @default without a limit */
  readonly maxRequests?: number;
  /** Receives the body of each response, a view that the next one overwrites. */
  readonly onResponse?: (body: Uint8Array) => void;
}

/** Result of {@linkcode load}. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
  /** 95th percentile of the latency in milliseconds. */
  readonly p95: number;
  /** 99th percentile of the latency in milliseconds. */
  readonly p99: number;
}

/** Returns the bytes of a POST request with a JSON body. */
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

/** Sends requests to a server on the loopback interface. Throws for any response that is not a success. */
export async function load(
  { port, request, connections, durationMs = Infinity, maxRequests = Infinity, onResponse }: LoadOptions,
): Promise<LoadResult> {
  const requests = request instanceof Uint8Array ? [request] : request;
  const latencies: number[] = [];
  let sent = 0;
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    using connection = await connect(port);
    while (sent < maxRequests && performance.now() < start + durationMs) {
      const next = requests[sent++ % requests.length]!;
      const sentAt = performance.now();
      const body = await connection.exchange(next);
      latencies.push(performance.now() - sentAt);
      onResponse?.(body);
    }
  }));
  const seconds = (performance.now() - start) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}

/** Sends one request and returns the response body. */
export async function exchangeOnce(port: number, request: Uint8Array): Promise<string> {
  using connection = await connect(port);
  return new TextDecoder().decode(await connection.exchange(request));
}

const decoder = new TextDecoder("latin1");

async function connect(port: number) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(256 * 1024);
  return {
    async exchange(request: Uint8Array): Promise<Uint8Array> {
      for (let sent = 0; sent < request.byteLength;) sent += await connection.write(request.subarray(sent));
      return await readResponse(connection, buffer);
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** Returns the body, a view of the buffer. */
async function readResponse(connection: Deno.Conn, buffer: Uint8Array): Promise<Uint8Array> {
  let received = 0;
  let bodyStart = 0;
  let end = Infinity;
  while (received < end) {
    const size = await connection.read(buffer.subarray(received));
    if (size === null) throw new Error("The server closed the connection");
    received += size;
    if (end < Infinity) continue;
    const text = decoder.decode(buffer.subarray(0, Math.min(received, 2048)));
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd < 0) continue;
    if (!text.startsWith("HTTP/1.1 2")) throw new Error(`Expected success, got ${text.slice(0, 300)}`);
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (length === undefined) throw new Error(`Expected a Content-Length, got ${text.slice(0, headEnd)}`);
    bodyStart = headEnd + 4;
    end = bodyStart + Number(length);
    if (end > buffer.byteLength) throw new Error(`A response of ${end} bytes is larger than the buffer`);
  }
  return buffer.subarray(bodyStart, end);
}
