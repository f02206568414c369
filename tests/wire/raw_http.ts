/** An HTTP/1.1 answer as it stood on the wire, without its framing. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case; a header that came twice is joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A request of our own bytes: a head as it is written, and a body of which nothing is assumed. */
export function requestBytes(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  // What only frames the message is added here, so that a fixture need not count its own bytes.
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

/** Opens a connection and sends a request; whoever asked may read the answer, or go away. */
export async function send(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(url);
  const conn = await Deno.connect({ hostname, port: Number(port) });
  await write(conn, bytes);
  return conn;
}

/**
 * Sends a request and reads the answer to it.
 *
 * @param patienceMs After this it fails; a bound for what hangs, no measurement.
 */
export async function exchange(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  patienceMs = 10_000,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  using conn = await Deno.connect({ hostname, port: Number(port) });
  const giveUp = setTimeout(() => void conn.close(), patienceMs);
  try {
    // While it is written it is read: a server that refuses a large body answers before it has all of it.
    const writing = write(conn, bytes).catch(() => {});
    const answer = parse(await readAnswer(conn));
    // The rest of a body that nobody wants is not sent.
    conn.close();
    await writing;
    return answer;
  } finally {
    clearTimeout(giveUp);
  }
}

/** Everything that comes until the answer is complete, or the other side closes. */
export async function readAnswer(conn: Deno.Conn): Promise<Uint8Array> {
  let received = new Uint8Array(0);
  const buffer = new Uint8Array(64 * 1024);
  while (true) {
    // A reset after the answer is the end of it too: the server did not care to read the rest of what we sent.
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

/** Takes an answer apart. Throws for what is no HTTP/1.1 answer. */
function parse(received: Uint8Array): RawResponse {
  // Latin-1 keeps one character a byte, so that the chunks' lengths can be counted.
  const text = Array.from(received, (byte) => String.fromCharCode(byte)).join("");
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1];
  if (end < 0 || status === undefined) {
    throw new Error(`No HTTP answer: ${JSON.stringify(text.slice(0, 200))}`);
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
