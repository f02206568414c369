// deno-lint-ignore-file no-console -- prints why the comparison is skipped
import { assertEquals } from "@std/assert";
import { TickClock } from "../../../src/http1/clock.ts";
import { Connection } from "../../../src/http1/connection.ts";
import { DelayedWatch } from "../../../src/http1/delayed_watch.ts";
import type { IncomingRequest } from "../../../src/http1/incoming_request.ts";
import { DEFAULT_TIMEOUTS } from "../../../src/http1/limits.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { TextResponse } from "../../../src/web/mod.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const PART_SIZES = [1, 2, 3, 7, 64];

/** A request whose body has been received completely. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** In hexadecimal. */
  readonly body: string;
}

/** A request as Node.js reports it: the target as it was sent, and names and values in turn. */
interface NodeRequest extends Omit<Received, "headers"> {
  readonly headers: readonly string[];
}

/**
 * The HTTP server receives the same requests for every division into reads, and every request that it accepts
 * is accepted by Node.js with the same method, target, fields and body: the two never disagree about where a
 * request ends (request smuggling).
 */
export const http1: FuzzTarget = {
  name: "http1",
  iterations: 200,
  seeds: utf8([
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nHost: a:80\r\nContent-Length: 5\r\nX: y\r\n\r\nhelloGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
    'PUT /x?y HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA;q="x"\r\n0123456789\r\n0\r\nT: u\r\n\r\n' +
    "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://b.example/x HTTP/1.1\r\nHost: b.example\r\nAccept:\t x \r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx",
    "GET / HTTP/1.0\r\n\r\n",
  ]),
  dictionary: utf8([
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    "Content-Length: 3\r\n",
    "Content-Length: 03",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: identity\r\n",
    "transfer-encoding:chunked\r\n",
    ", chunked",
    "Host: b\r\n",
    "Connection: close\r\n",
    "Connection: upgrade\r\nUpgrade: h2c\r\n",
    "Expect: 100-continue\r\n",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    "0\r\n\r\n",
    "ffffffffffffffff",
    "\t",
    " ",
    ":",
    ';a="\\""',
    "\0",
  ]),
  generate: (random) => utf8([Array.from({ length: 1 + random.int(3) }, () => request(random)).join("")])[0]!,
  open: async (resources) => {
    const compare = await startNode(resources);
    return async (input) => {
      const whole = await receive(input, Infinity);
      for (const size of PART_SIZES) {
        assertEquals(await receive(input, size), whole, `reads of ${size} bytes`);
      }
      if (whole.length > 0) await compare?.(input, whole);
    };
  },
};

function request(random: Random): string {
  const body = "x".repeat(random.int(20));
  const framing = random.pick([
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${
      body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`
    }0\r\n\r\n`,
    "\r\n",
  ]);
  const fields = ["X: y\r\n", "Connection: keep-alive\r\n", "Content-Length: 2\r\n", "", "", ""];
  const method = random.pick(["GET", "POST", "PUT", "OPTIONS", "DELETE"]);
  return `${method} ${random.pick(["/", "/a?b", "http://c/d"])} HTTP/1.1\r\nHost: a\r\n${
    random.pick(fields)
  }${framing}`;
}

/** Sends bytes to a connection in reads of a size. */
async function receive(input: Uint8Array, size: number): Promise<Received[]> {
  using delayedWatch = new DelayedWatch();
  const received: Received[] = [];
  let sent = 0;
  const conn = {
    remoteAddr: { hostname: "127.0.0.1" },
    setNoDelay() {},
    read(buffer: Uint8Array): Promise<number | null> {
      const bytes = input.subarray(sent, sent + Math.min(size, buffer.byteLength));
      buffer.set(bytes);
      sent += bytes.byteLength;
      return Promise.resolve(bytes.byteLength > 0 ? bytes.byteLength : null);
    },
    write: (bytes: Uint8Array) => Promise.resolve(bytes.byteLength),
    closeWrite: () => Promise.resolve(),
    close() {},
  };
  await new Connection(conn as unknown as Deno.TcpConn, {
    async handler(request) {
      const { method, url, headers } = request as IncomingRequest;
      const body = await new Response(request.body).bytes().catch(() => undefined);
      if (body) received.push({ method, url, headers: [...headers], body: body.toHex() });
      return new TextResponse("");
    },
    errorResponse: (status, message) => new TextResponse(message, { status }),
    timeouts: DEFAULT_TIMEOUTS,
    clock: new TickClock(1000, () => {}),
    delayedWatch,
    authority: "local",
    log: silentLogger,
  }).run();
  return received;
}

/** Starts Node.js; undefined without it. */
async function startNode(
  resources: AsyncDisposableStack,
): Promise<((input: Uint8Array, ours: readonly Received[]) => Promise<void>) | undefined> {
  const script = new URL("../node_http.mjs", import.meta.url).pathname;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("node", { args: [script], stdin: "piped", stdout: "piped" }).spawn();
  } catch {
    console.warn("skipped: no node on the PATH to compare with");
    return undefined;
  }
  const writer = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  resources.defer(async () => {
    await writer.close();
    await lines.return?.();
    await child.status;
  });
  let buffered = "";
  const readLine = async (): Promise<string> => {
    while (!buffered.includes("\n")) {
      const { done, value } = await lines.next();
      if (done) throw new Error("node ended");
      buffered += value;
    }
    const end = buffered.indexOf("\n");
    const line = buffered.slice(0, end);
    buffered = buffered.slice(end + 1);
    return line;
  };
  const methods: string[] = JSON.parse(await readLine());
  return async (input, ours) => {
    await writer.write(new TextEncoder().encode(`${input.toHex()}\n`));
    const theirs: NodeRequest[] = JSON.parse(await readLine());
    for (const [i, expected] of ours.entries()) {
      // Other methods are valid (RFC 9110 §9.1), but llhttp has a fixed list.
      if (!methods.includes(expected.method)) return;
      // llhttp rejects a tab after the length, which is valid (RFC 9110 §5.6.3).
      if (/content-length:[ \t]*\d+[ \t]*\t/i.test(new TextDecoder().decode(input))) return;
      // Node.js takes what follows as another protocol; we ignore Upgrade and respond in HTTP/1.1.
      if (i > 0 && ours[i - 1]!.headers.some(([name]) => name === "upgrade")) return;
      assertEquals(theirs[i] && fromNode(theirs[i]), expected, `request ${i} in Node.js`);
    }
  };
}

/** Converts a request of Node.js to what our server reports for it. */
function fromNode({ method, url, headers: raw, body }: NodeRequest): Received {
  const target = /^https?:\/\/([^/?]*)(.*)$/i.exec(url);
  const fields: [string, string][] = [];
  for (let i = 0; i < raw.length; i += 2) fields.push([raw[i]!.toLowerCase(), raw[i + 1]!]);
  // The authority of an absolute target replaces Host (RFC 9112 §3.2.2).
  const headers = fields.map(([name, value]) =>
    [name, name === "host" && target ? target[1]! : value] as const
  );
  const host = headers.find(([name]) => name === "host")?.[1] ?? "local";
  const path = target ? target[2]!.replace(/^(?!\/)/, "/") : url;
  return { method, url: `http://${target?.[1] ?? host}${path}`, headers, body };
}
