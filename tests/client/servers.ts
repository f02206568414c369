/** Misbehaving servers on the loopback interface. Close them with `await using`. */

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Requests or connections so far. */
  readonly count: () => number;
}

/** An HTTP server. */
export function httpServer(handler: (request: Request) => Response | Promise<Response>): TestServer {
  let count = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    count++;
    return handler(request);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    count: () => count,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Handles a connection after the request's head has been read. */
export type Script = (connection: RawConnection) => void | Promise<void>;

export interface RawConnection {
  /** Everything read so far. */
  readonly received: () => string;
  write(text: string): Promise<void>;
  /** Reads once more. */
  read(): Promise<void>;
  /** Resolves at the end of the test, for servers that hang. */
  readonly testOver: Promise<void>;
}

/**
 * A TCP server that reads a request's head, runs the script and closes the connection. Probes are not
 * counted.
 */
export function rawServer(script: Script): TestServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const over = Promise.withResolvers<void>();
  const connections: Promise<void>[] = [];
  let count = 0;
  const serve = async (connection: Deno.TcpConn) => {
    using open = connection;
    let received = "";
    const buffer = new Uint8Array(64 * 1024);
    const read = async () => {
      const n = await open.read(buffer);
      if (n === null) throw new Error("closed");
      received += decoder.decode(buffer.subarray(0, n));
    };
    try {
      while (!received.includes("\r\n\r\n")) await read();
      count++;
      await script({
        received: () => received,
        write: async (text) => void await open.write(encoder.encode(text)),
        read,
        testOver: over.promise,
      });
    } catch {
      // Some tests disconnect the client.
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) connections.push(serve(connection));
  })();
  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    count: () => count,
    async [Symbol.asyncDispose]() {
      over.resolve();
      listener.close();
      await accepting;
      await Promise.all(connections);
    },
  };
}

/** Returns an address that drops connections: its queue is full and nobody accepts. */
export async function blackHole(): Promise<TestServer> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const port = (listener.addr as Deno.NetAddr).port;
  const connections: Deno.TcpConn[] = [];
  for (let full = false; !full;) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 50);
    try {
      connections.push(await Deno.connect({ hostname: "127.0.0.1", port, signal: stop.signal }));
    } catch {
      full = true;
    }
    clearTimeout(timer);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => 0,
    [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close();
      listener.close();
      return Promise.resolve();
    },
  };
}

/** Builds the head of an HTTP response. */
export function head(status: number, fields: Record<string, string | number> = {}): string {
  const lines = Object.entries({ "content-type": "application/json", ...fields }).map(([k, v]) =>
    `${k}: ${v}`
  );
  return `HTTP/1.1 ${status} X\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/**
 * A server that keeps connections open, and closes one after a request whose method is `breaksAt`, without a response.
 *
 * @param requests Receives the method of each request.
 */
export function breakingServer(breaksAt: string, requests: string[]): TestServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const serve = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (let n = await connection.read(buffer); n !== null; n = await connection.read(buffer)) {
        const method = decoder.decode(buffer.subarray(0, n)).split(" ", 1)[0]!;
        requests.push(method);
        if (method === breaksAt) break;
        const body = '{"documents":[],"total":0,"next_cursor":null}';
        await connection.write(encoder.encode(head(200, { "content-length": body.length }) + body));
      }
    } catch {
      // The client has closed it.
    } finally {
      if (connections.delete(connection)) connection.close();
    }
  };
  const serving = (async () => {
    const served: Promise<void>[] = [];
    for await (const connection of listener) {
      connections.add(connection);
      served.push(serve(connection));
    }
    await Promise.all(served);
  })();
  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    count: () => requests.length,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) {
        connections.delete(connection);
        connection.close();
      }
      await serving;
    },
  };
}
