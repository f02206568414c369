import { FetchError } from "./errors.ts";
import { HostDelay } from "./host_delay.ts";
import { ACCEPTED_TYPES, documentFilename } from "./media_type.ts";
import { RobotsCache } from "./robots_cache.ts";
import { displayUrl } from "./target.ts";
import { WebClient, type WebClientOptions, type WebResponse } from "./web_client.ts";

/** Maximum delay between two requests that a robots.txt can ask for, in seconds. */
const MAX_CRAWL_DELAY = 10;
/** Maximum size of a sitemap or an `llms.txt` in bytes. */
const MAX_LIST_BYTES = 10 * 2 ** 20;

/** Options of {@linkcode Fetcher}. */
export interface FetcherOptions extends WebClientOptions {
  /** Maximum size of a document in bytes. @default {33_554_432} */
  readonly maxBytes?: number | undefined;
  /** Time between two requests to a host, in milliseconds. @default {250} */
  readonly delayMs?: number | undefined;
}

/** Identifies a version of a document, for the next request (RFC 9110 §8.8). */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Options of {@linkcode Fetcher.fetch}. */
export interface FetchOptions {
  /** Of the version that the caller has. */
  readonly validators?: Validators | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs before a redirect is followed; throws to refuse. */
  readonly checkRedirect?: ((url: URL) => void) | undefined;
}

/** A fetched document. */
export interface FetchedDocument {
  readonly status: "fetched";
  /** URL after redirects. */
  readonly url: URL;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** File name whose extension fits the media type. */
  readonly filename: string;
  /** Value of `Content-Type`, with the charset. */
  readonly contentType: string | undefined;
  /** Value of `X-Robots-Tag`. */
  readonly robotsTag: string | undefined;
  readonly validators: Validators;
}

/** Result of fetching a document. */
export type FetchResult =
  | FetchedDocument
  /** The version that the caller has is current, or the document does not exist (404, 410). */
  | { readonly status: "not_modified" | "gone"; readonly url: URL };

/**
 * Fetches documents from the web as a polite and distrustful crawler: robots.txt, delays, limits of size and
 * time, and the address checks of {@linkcode WebClient}.
 *
 * @example
 * ```ts
 * import { Fetcher, FetchError } from "./mod.ts";
 * import { assertRejects } from "@std/assert";
 * const fetcher = new Fetcher({ userAgent: "kb-mcp/3.0.0" });
 * await assertRejects(() => fetcher.fetch("http://169.254.169.254/latest/meta-data/"), FetchError, "public");
 * ```
 */
export class Fetcher {
  readonly #options: FetcherOptions;
  readonly #client: WebClient;
  readonly #robots: RobotsCache;
  readonly #delay = new HostDelay();

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.#client = new WebClient(options);
    this.#robots = new RobotsCache(this.#client, options.userAgent.split("/", 1)[0]!);
  }

  /**
   * Fetches a document.
   *
   * @throws {FetchError}
   * @throws The reason of `signal`; the error of `checkRedirect`.
   */
  async fetch(url: string | URL, options: FetchOptions = {}): Promise<FetchResult> {
    const { validators = {}, signal, checkRedirect } = options;
    let filename = "";
    const response = await this.#client.get(url, {
      maxBytes: this.#options.maxBytes ?? 32 * 2 ** 20,
      headers: { accept: ACCEPTED_TYPES, ...conditions(validators) },
      signal,
      checkUrl: async (hop, redirects) => {
        if (redirects > 0) checkRedirect?.(hop);
        await this.#checkRobots(hop, redirects, signal);
      },
      checkHead: (final, headers) => filename = documentFilename(final, headers.get("content-type")),
    });
    return toResult(response, filename);
  }

  /**
   * Fetches a list of pages, such as a sitemap.
   *
   * @returns Undefined without one.
   * @throws {FetchError}
   * @throws The reason of `signal`.
   */
  async fetchList(url: string | URL, signal?: AbortSignal): Promise<WebResponse | undefined> {
    const checkUrl = (hop: URL, redirects: number) => this.#checkRobots(hop, redirects, signal);
    const response = await this.#client.get(url, { maxBytes: MAX_LIST_BYTES, signal, checkUrl });
    return response.status === 200 ? response : undefined;
  }

  /** Returns the sitemaps that a site's robots.txt names. */
  async sitemaps(url: URL, signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.#robots.rules(url, signal)).sitemaps;
  }

  /** Refuses what robots.txt disallows, also as the target of a redirect. Waits before the first request. */
  async #checkRobots(url: URL, redirects: number, signal: AbortSignal | undefined): Promise<void> {
    const rules = await this.#robots.rules(url, signal);
    if (!rules.allows(url)) {
      throw new FetchError(
        "disallowed_by_robots",
        `Cannot fetch ${displayUrl(url)}: the robots.txt of ${url.host} disallows it. ` +
          "Save the page in a browser and add the file",
      );
    }
    if (redirects > 0) return;
    const crawlDelay = Math.min(rules.crawlDelay ?? 0, MAX_CRAWL_DELAY);
    await this.#delay.wait(url.host, Math.max(crawlDelay * 1000, this.#options.delayMs ?? 250), signal);
  }
}

function conditions({ etag, lastModified }: Validators): Record<string, string> {
  // A server ignores the date if there is a tag (RFC 9110 §13.1.3).
  return {
    ...(etag !== undefined ? { "if-none-match": etag } : {}),
    ...(lastModified !== undefined ? { "if-modified-since": lastModified } : {}),
  };
}

function toResult({ url, status, headers, bytes }: WebResponse, filename: string): FetchResult {
  if (status === 304) return { status: "not_modified", url };
  if (status === 404 || status === 410) return { status: "gone", url };
  if (status !== 200) {
    const advice = status === 401 || status === 403 ? ". Save the page in a browser and add the file" : "";
    throw new FetchError(
      "http_status",
      `Cannot fetch ${displayUrl(url)}: the server sent status ${status}${advice}`,
    );
  }
  const validators = {
    etag: validator(headers.get("etag")),
    lastModified: validator(headers.get("last-modified")),
  };
  const contentType = headers.get("content-type")?.slice(0, 200);
  return {
    status: "fetched",
    url,
    bytes,
    filename,
    contentType,
    robotsTag: headers.get("x-robots-tag"),
    validators,
  };
}

/** Returns a validator that can be stored and sent back. */
function validator(value: string | undefined): string | undefined {
  return value !== undefined && /^[\x20-\x7e]{1,500}$/.test(value) ? value : undefined;
}
