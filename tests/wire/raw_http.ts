/** An HTTP/1.1 response as received, without its framing. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; repeated headers are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the bytes of a request with a literal head and any body. */
export function requestBytes(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  // Framing headers are added here, so that fixtures need not count bytes.
  const framing = [
    ...(/^(content-length|transfer-encoding):/im.test(head) ? [] : [`Content-Length: ${body.byteLength}`]),
    "Connection: close",
  ];
  const headBytes = encoder.encode(`${[...head.trim().split("\n"), ...framing].join("\r\n")}\r\n\r\n`);
  const bytes = new Uint8Array(headBytes.byteLength + body.byteLength);
  bytes.set(headBytes);
  bytes.set(body, headBytes.byteLength);
  return bytes;
}

/** Opens a connection and sends a request. The caller reads the response or disconnects. */
export async function send(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(url);
  const conn = await Deno.connect({ hostname, port: Number(port) });
  await write(conn, bytes);
  return conn;
}

/**
 * Sends a request and reads the response.
 *
 * @param timeoutMs Fails a request without a response, in milliseconds.
 */
export async function exchange(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  timeoutMs = 10_000,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  using conn = await Deno.connect({ hostname, port: Number(port) });
  const timer = setTimeout(() => void conn.close(), timeoutMs);
  try {
    // Reads while writing: a server that rejects a large body responds before the body is complete.
    const writing = write(conn, bytes).catch(() => {});
    const response = parse(await readResponse(conn));
    // Do not send the rest of a rejected body.
    conn.close();
    await writing;
    return response;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads until the response is complete or the server closes the connection. */
export async function readResponse(conn: Deno.Conn): Promise<Uint8Array> {
  let received = new Uint8Array(0);
  const buffer = new Uint8Array(64 * 1024);
  while (true) {
    // A reset after the response ends it too: the server did not read the rest of the body.
    const size = await conn.read(buffer).catch((error) => {
      if (received.byteLength > 0 && error instanceof Deno.errors.ConnectionReset) return null;
      throw error;
    });
    if (size === null) return received;
    const longer = new Uint8Array(received.byteLength + size);
    longer.set(received);
    longer.set(buffer.subarray(0, size), received.byteLength);
    received = longer;
    if (isComplete(received)) return received;
  }
}

function isComplete(received: Uint8Array): boolean {
  const text = decoder.decode(received);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
  if (length !== undefined) {
    return received.byteLength >= encoder.encode(text.slice(0, end + 4)).byteLength + Number(length);
  }
  return text.endsWith("\r\n0\r\n\r\n");
}

/** Parses a response; throws if it is not HTTP/1.1. */
function parse(received: Uint8Array): RawResponse {
  // Latin-1 has one character per byte, so that chunk lengths are offsets.
  const text = Array.from(received, (byte) => String.fromCharCode(byte)).join("");
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1];
  if (end < 0 || status === undefined) {
    throw new Error(`Not an HTTP response: ${JSON.stringify(text.slice(0, 200))}`);
  }
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  const raw = text.slice(end + 4);
  const body = headers.get("transfer-encoding") === "chunked" ? dechunk(raw) : raw;
  return {
    status: Number(status),
    headers,
    body: decoder.decode(Uint8Array.from(body, (unit) => unit.charCodeAt(0))),
  };
}

function dechunk(raw: string): string {
  let body = "";
  let at = 0;
  while (true) {
    const lineEnd = raw.indexOf("\r\n", at);
    const size = parseInt(raw.slice(at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) return body; // the connection ended within the body
    if (size === 0) return body;
    body += raw.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.byteLength;) sent += await conn.write(bytes.subarray(sent));
}
