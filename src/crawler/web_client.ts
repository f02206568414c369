import { ACCEPTED_ENCODINGS, readBody } from "./body.ts";
import { Deadline } from "./deadline.ts";
import { FetchError } from "./errors.ts";
import { httpGet, type HttpResponse } from "./http_get.ts";
import { checkedAddresses, type Resolve, resolveWithSystem } from "./resolve.ts";
import { type AllowedHosts, displayUrl, type FetchTarget, parseTarget } from "./target.ts";

/** Maximum number of redirects of a request. */
const MAX_REDIRECTS = 5;

/** Options of {@linkcode WebClient}. */
export interface WebClientOptions {
  /** Value of `User-Agent`, such as `kb-mcp/3.0.0`. */
  readonly userAgent: string;
  /** Hosts that may have any address and port. @default {[]} */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** Time for a request with its redirects and body, in milliseconds. @default {60_000} */
  readonly timeoutMs?: number | undefined;
  /** @default {resolveWithSystem} */
  readonly resolve?: Resolve | undefined;
  /** Certificates to trust instead of the built-in ones, in PEM. */
  readonly ca?: readonly string[] | undefined;
}

/** Options of {@linkcode WebClient.get}. */
export interface GetOptions {
  /** Maximum size of the body in bytes, compressed and decompressed. */
  readonly maxBytes: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Cuts a longer body instead of failing. @default {false} */
  readonly truncate?: boolean | undefined;
  /** Runs before the request and before each redirect is followed; throws to refuse. */
  readonly checkUrl?: ((url: URL, redirects: number) => Promise<void> | void) | undefined;
  /** Runs when the head of a successful response has arrived; throws to refuse the body. */
  readonly checkHead?: ((url: URL, headers: ReadonlyMap<string, string>) => void) | undefined;
}

/** A complete response. */
export interface WebResponse {
  /** URL after redirects. */
  readonly url: URL;
  /** Status other than a redirect. */
  readonly status: number;
  /** Values by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Empty unless the status is 200. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Sends GET requests to the web on behalf of a user who may not reach the network of this machine (SSRF).
 *
 * Each URL, also of a redirect, must be HTTP(S) without credentials on a port of the web; every address of its
 * host must be public; and the connection goes to such an address. The environment's proxies are not used.
 */
export class WebClient {
  readonly #options: WebClientOptions;

  constructor(options: WebClientOptions) {
    this.#options = options;
  }

  /**
   * Checks a URL as {@linkcode get} does before it connects.
   *
   * @throws {FetchError} `invalid_url`, `unreachable` or `private_address`
   */
  async check(url: string | URL): Promise<void> {
    await this.#addresses(this.#target(url));
  }

  /**
   * Sends a GET, follows redirects and reads the body.
   *
   * @throws {FetchError} See its codes. Statuses are returned, not thrown.
   * @throws The reason of `signal`; the errors of `checkUrl` and `checkHead`.
   */
  async get(url: string | URL, options: GetOptions): Promise<WebResponse> {
    using deadline = new Deadline(this.#options.timeoutMs ?? 60_000, options.signal);
    try {
      return await this.#followRedirects(this.#target(url), { ...options, signal: deadline.signal });
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!deadline.hasPassed) throw error;
      const seconds = (this.#options.timeoutMs ?? 60_000) / 1000;
      throw new FetchError("timeout", `Cannot fetch ${displayUrl(url)}: it must arrive within ${seconds} s`);
    }
  }

  async #followRedirects(
    first: FetchTarget,
    options: GetOptions & { readonly signal: AbortSignal },
  ): Promise<WebResponse> {
    let target = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      await options.checkUrl?.(target.url, redirects);
      using response = await this.#send(target, options);
      const location = isRedirect(response.status) ? response.headers.get("location") : undefined;
      if (location === undefined) return await this.#read(target, response, options);
      target = this.#redirect(target, location);
    }
    throw new FetchError(
      "invalid_redirect",
      `Cannot fetch ${displayUrl(first.url)}: it must have at most ${MAX_REDIRECTS} redirects`,
    );
  }

  async #send(target: FetchTarget, { headers, signal }: GetOptions & { readonly signal: AbortSignal }) {
    const addresses = await untilAborted(this.#addresses(target), signal);
    return await httpGet(target, {
      addresses,
      headers: { "user-agent": this.#options.userAgent, "accept-encoding": ACCEPTED_ENCODINGS, ...headers },
      signal,
      ca: this.#options.ca,
    });
  }

  async #read(
    target: FetchTarget,
    response: HttpResponse,
    { maxBytes, truncate, signal, checkHead }: GetOptions & { readonly signal: AbortSignal },
  ): Promise<WebResponse> {
    const { status, headers } = response;
    if (status !== 200) return { url: target.url, status, headers, bytes: new Uint8Array() };
    checkHead?.(target.url, headers);
    const bytes = await readBody(target, response, { maxBytes, truncate: truncate ?? false, signal });
    return { url: target.url, status, headers, bytes };
  }

  #redirect({ url }: FetchTarget, location: string): FetchTarget {
    const next = URL.parse(location, url);
    if (!next) throw invalidRedirect(url, "its redirect must lead to a URL");
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw invalidRedirect(url, "its redirect must not lead from https:// to http://");
    }
    return this.#target(next);
  }

  #target(url: string | URL): FetchTarget {
    return parseTarget(url, this.#options.allowedHosts ?? []);
  }

  #addresses(target: FetchTarget): Promise<readonly string[]> {
    return checkedAddresses(target, this.#options.resolve ?? resolveWithSystem);
  }
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function invalidRedirect(url: URL, problem: string): FetchError {
  return new FetchError("invalid_redirect", `Cannot fetch ${displayUrl(url)}: ${problem}`);
}

/** The resolver of the system cannot be cancelled: its result is ignored. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
