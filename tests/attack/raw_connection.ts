const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Maximum time to wait for bytes of a response by default: longer than any deadline of the server. */
const READ_TIMEOUT_MS = 60_000;

/** An HTTP response. */
export interface RawResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A TCP connection that sends any bytes, valid HTTP or not. */
export class RawConnection {
  readonly #connection: Deno.TcpConn;
  #received = new Uint8Array();
  #closed = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects to a port of the loopback interface. */
  static async open(port: number): Promise<RawConnection> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new RawConnection(connection);
  }

  /** Sends all bytes. Waits while the server reads nothing and the buffers of the kernel are full. */
  async send(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    for (let sent = 0; sent < bytes.byteLength;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  /** Ends the client's direction only. */
  closeWrite(): Promise<void> {
    return this.#connection.closeWrite();
  }

  /** Closes the connection. The kernel sends RST if the server has sent something that was not read. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  /**
   * Reads a response with a Content-Length, or to the end of the connection.
   *
   * @throws {Error} When the server closes the connection first or sends nothing for a minute.
   */
  async response(timeoutMs = READ_TIMEOUT_MS): Promise<RawResponse> {
    let headEnd = -1;
    while ((headEnd = indexOfHeadEnd(this.#received)) < 0) {
      if (!await this.#readMore(timeoutMs)) {
        throw new Error("the connection was closed without a response");
      }
    }
    const [statusLine = "", ...lines] = decoder.decode(this.#received.subarray(0, headEnd)).split("\r\n");
    const headers = new Map(lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const status = Number(statusLine.split(" ")[1]);
    this.#received = this.#received.slice(headEnd + 4);
    if (status === 100) return { status, headers, body: "" };
    const length = Number(headers.get("content-length") ?? Infinity);
    while (this.#received.byteLength < length) if (!await this.#readMore(timeoutMs)) break;
    const body = decoder.decode(this.#received.subarray(0, Math.min(length, this.#received.byteLength)));
    this.#received = this.#received.slice(Math.min(length, this.#received.byteLength));
    return { status, headers, body };
  }

  /** Reads to the end, and reports whether the server closed the connection, orderly or not, in time. */
  async isClosedWithin(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    try {
      while (await this.#readMore(deadline - performance.now()));
      return true;
    } catch (error) {
      return !(error instanceof TimeoutError);
    }
  }

  async #readMore(timeoutMs: number): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    const timer = Promise.withResolvers<never>();
    const handle = setTimeout(() => timer.reject(new TimeoutError(timeoutMs)), Math.max(timeoutMs, 0));
    const reading = this.#connection.read(buffer);
    reading.catch(() => {}); // Closing the connection later rejects it.
    try {
      const size = await Promise.race([reading, timer.promise]);
      if (size === null) return false;
      const received = new Uint8Array(this.#received.byteLength + size);
      received.set(this.#received);
      received.set(buffer.subarray(0, size), this.#received.byteLength);
      this.#received = received;
      return true;
    } finally {
      clearTimeout(handle);
    }
  }
}

class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`the server sent nothing for ${(timeoutMs / 1000).toFixed(0)} s`);
  }
}

function indexOfHeadEnd(bytes: Uint8Array): number {
  for (let i = 0; i + 3 < bytes.byteLength; i++) {
    if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) return i;
  }
  return -1;
}
