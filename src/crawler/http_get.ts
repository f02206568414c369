import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { FetchError } from "./errors.ts";
import { displayUrl, type FetchTarget } from "./target.ts";

/** Maximum size of a response head, in bytes. */
const MAX_HEADER_BYTES = 32_768;
/** Maximum number of interim responses (1xx). */
const MAX_INTERIM_RESPONSES = 10;
/** Time for connecting, TLS and the response head, when another address remains. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Options of an agent without the proxy that `NODE_USE_ENV_PROXY` would add. The types of Deno lack `proxyEnv`. */
const DIRECT = { keepAlive: false, proxyEnv: {} };

/** Options of {@linkcode httpGet}. */
export interface HttpGetOptions {
  /** Addresses that were checked; they are tried in order. */
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request and the body. */
  readonly signal: AbortSignal;
  /** Certificates to trust instead of the built-in ones, in PEM. */
  readonly ca?: readonly string[] | undefined;
}

/** A response whose body has not been read. Dispose of it to close the connection. */
export interface HttpResponse extends Disposable {
  readonly status: number;
  /** Values by name in lower case; the first one of repeated fields. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a GET over a connection of its own to one of the given addresses.
 *
 * `fetch` resolves the name itself, follows the environment's proxy and adds what the runtime has: here the
 * address is pinned, the name is sent as `Host` and for TLS, and no proxy, cookie or credential is used.
 *
 * @throws {FetchError} `unreachable` or `invalid_response`
 * @throws The reason of `signal`.
 */
export async function httpGet(target: FetchTarget, options: HttpGetOptions): Promise<HttpResponse> {
  const { addresses, signal } = options;
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
    try {
      return await send(target, address, options, isLast ? signal : AbortSignal.any([signal, timeout]));
    } catch (cause) {
      signal.throwIfAborted();
      if (isLast) throw toFetchError(target, cause);
    }
  }
  throw new TypeError("addresses must not be empty");
}

function send(
  { url, host, port }: FetchTarget,
  address: string,
  { headers, signal, ca }: HttpGetOptions,
  headSignal: AbortSignal,
): Promise<HttpResponse> {
  const isTls = url.protocol === "https:";
  const options: RequestOptions & https.RequestOptions = {
    host: address,
    port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host },
    // A connection of its own: a pooled one could be to an address that was checked for another name.
    agent: new (isTls ? https : http).Agent(DIRECT),
    maxHeaderSize: MAX_HEADER_BYTES,
    // The certificate must be for the name, not for the address. An address has no server name (RFC 6066 §3).
    ...(isTls && host !== address ? { servername: host } : {}),
    ...(ca ? { ca: [...ca] } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(options);
    const abortHead = () => request.destroy(headSignal.reason);
    const abort = () => request.destroy(signal.reason);
    headSignal.addEventListener("abort", abortHead, { once: true });
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => signal.removeEventListener("abort", abort));
    let interimResponses = 0;
    request.on("information", () => {
      if (++interimResponses > MAX_INTERIM_RESPONSES) {
        request.destroy(new Error("too many interim responses"));
      }
    });
    request.on("error", (error) => {
      headSignal.removeEventListener("abort", abortHead);
      reject(error);
    });
    request.once("response", (response) => {
      headSignal.removeEventListener("abort", abortHead);
      resolve({
        status: response.statusCode ?? 0,
        headers: firstValues(response),
        body: readWhole(response, signal),
        [Symbol.dispose]: () => void request.destroy(),
      });
    });
    if (headSignal.aborted) abortHead();
    request.end();
  });
}

/** Yields the body. A destroyed stream ends like a complete one, which would make a cut page a whole one. */
async function* readWhole(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  yield* response as AsyncIterable<Uint8Array>;
  signal.throwIfAborted();
}

function firstValues({ headers }: IncomingMessage): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values.set(name, first);
  }
  return values;
}

/** Converts an error of the connection or the parser. */
export function toFetchError({ url }: FetchTarget, cause: unknown): FetchError {
  if (cause instanceof FetchError) return cause;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  const isProtocol = typeof code === "string" && code.startsWith("HPE_");
  const reason = CONNECTION_ERRORS[String(code)] ?? String(message);
  return new FetchError(
    isProtocol ? "invalid_response" : "unreachable",
    `Cannot fetch ${displayUrl(url)}: ${isProtocol ? "the response must be HTTP/1.1" : reason}`,
    { cause },
  );
}

/** Messages without the address, which an error of the system contains. */
const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the server closed the connection",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
};
