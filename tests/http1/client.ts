import { type HttpServer, serveHttp, type ServeHttpOptions } from "../../src/http1/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Starts a server on a free port. The default handler returns the method, the URL and the body. */
export function startServer(options: Partial<ServeHttpOptions> = {}): HttpServer {
  return serveHttp({
    hostname: "127.0.0.1",
    port: 0,
    handler: async (request) => {
      const body = await new Response(request.body).text();
      return new Response(`${request.method} ${new URL(request.url).pathname} ${body}`);
    },
    maxConnections: 100,
    log: silentLogger,
    ...options,
  });
}

/** A connection that sends and receives text. */
export class RawClient implements Disposable {
  readonly conn: Deno.TcpConn;
  #received = "";

  constructor(conn: Deno.TcpConn) {
    this.conn = conn;
  }

  static async connect({ port }: HttpServer): Promise<RawClient> {
    return new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends text; an error means that the server has closed the connection. */
  async send(text: string): Promise<void> {
    const bytes = encoder.encode(text);
    for (let sent = 0; sent < bytes.byteLength;) sent += await this.conn.write(bytes.subarray(sent));
  }

  /** Receives up to and including a text. */
  async until(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      if (!await this.#read()) {
        throw new Error(`The connection ended after ${JSON.stringify(this.#received)}`);
      }
    }
    const end = this.#received.indexOf(text) + text.length;
    const head = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return head;
  }

  /** Receives until the server closes the connection. */
  async untilClosed(): Promise<string> {
    while (await this.#read());
    return this.#received;
  }

  async #read(): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    const count = await this.conn.read(buffer).catch((error) => {
      if (error instanceof Deno.errors.ConnectionReset) return null;
      throw error;
    });
    if (count === null) return false;
    this.#received += decoder.decode(buffer.subarray(0, count));
    return true;
  }

  [Symbol.dispose](): void {
    try {
      this.conn.close();
    } catch {
      // It is closed already.
    }
  }
}

/** Sends text on a new connection; returns everything that the server sends until it closes the connection. */
export async function exchange(server: HttpServer, text: string): Promise<string> {
  using client = await RawClient.connect(server);
  await client.send(text);
  return await client.untilClosed();
}
