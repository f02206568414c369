import { discoverPages, isPageList } from "./discover.ts";
import { FetchError } from "./errors.ts";
import type { FetchedDocument, Fetcher, FetchResult, Validators } from "./fetcher.ts";
import { type PageLinks, robotsDirectives, scanLinks } from "./html_links.ts";
import { isHtml } from "./media_type.ts";
import { folderOf, isBelow, pagePath, pageUrl, type SitePrefix } from "./page_url.ts";
import { displayUrl } from "./target.ts";

/** Number of pages that are fetched at the same time. */
const CONCURRENCY = 2;
/** Maximum number of links between the start and a page. */
const MAX_DEPTH = 20;
/** Maximum number of pages that wait to be fetched. */
const MAX_QUEUE = 50_000;
/** Number of failures in a row after which the site counts as down. */
const MAX_FAILURES_IN_ROW = 20;

/** A page of the previous crawl. */
export interface KnownPage extends Validators {
  /** Links of its event. They are followed again, since an unchanged page is not sent. @default {[]} */
  readonly links?: readonly string[] | undefined;
}

/** Options of {@linkcode crawl}. */
export interface CrawlOptions {
  readonly fetcher: Fetcher;
  /** Only pages below this URL. @default {the folder of the start, after its redirects} */
  readonly prefix?: string | undefined;
  /** Maximum number of pages that are fetched. */
  readonly maxPages: number;
  /** Maximum size of all pages in bytes. @default {1_073_741_824} */
  readonly maxBytes?: number | undefined;
  /** Pages of the previous crawl, by URL. They are fetched again even if nothing links to them any more. */
  readonly known?: ReadonlyMap<string, KnownPage> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page of a crawl, or the reason for its absence. Each URL occurs once. */
export type CrawlEvent =
  | {
    readonly type: "fetched";
    /** Canonical URL, which `known` of the next crawl contains. */
    readonly url: string;
    /** Path below the prefix, unique within the crawl. */
    readonly path: string;
    readonly document: FetchedDocument;
    /**
     * Links that were first found here. The links of all stored pages, with the pages themselves, are what a
     * crawl needs to continue after an interruption.
     */
    readonly links: readonly string[];
  }
  /** A known page that has not changed, or is gone or asks not to be stored. */
  | { readonly type: "unchanged" | "gone"; readonly url: string }
  | { readonly type: "failed"; readonly url: string; readonly error: FetchError }
  /** The crawl ended before all pages. `message` says why. */
  | { readonly type: "incomplete"; readonly message: string };

interface QueuedPage {
  readonly url: URL;
  readonly depth: number;
}

interface FinishedPage {
  readonly task: Promise<FinishedPage>;
  readonly events: readonly CrawlEvent[];
}

/**
 * Fetches the pages of a site below a prefix: those of its sitemap or its `llms.txt`, or else those that links
 * lead to. Yields each as it arrives; at most two are fetched at the same time, one per delay of the fetcher.
 *
 * Pages with `noindex` are not yielded, and links with `nofollow` are not followed.
 *
 * @throws {FetchError} The start cannot be fetched.
 * @throws The reason of `signal`.
 */
export async function* crawl(start: string, options: CrawlOptions): AsyncGenerator<CrawlEvent, void> {
  const controller = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
  const site = new SiteCrawl({ ...options, signal });
  try {
    yield* site.run(start);
  } finally {
    controller.abort();
    await site.settled();
  }
}

/** State of one crawl. */
class SiteCrawl {
  readonly #options: CrawlOptions & { readonly signal: AbortSignal };
  #prefix: SitePrefix = { host: "", pathname: "/" };
  #followsLinks = false;
  readonly #queue: QueuedPage[] = [];
  /** Paths of the pages that were queued, with the URL of the page where each was found first. */
  readonly #queued = new Map<string, string>();
  /** Paths of the pages that were yielded, which others may redirect to. */
  readonly #yielded = new Set<string>();
  readonly #active = new Set<Promise<FinishedPage>>();
  #fetched = 0;
  #bytes = 0;
  #failuresInRow = 0;

  constructor(options: CrawlOptions & { readonly signal: AbortSignal }) {
    this.#options = options;
  }

  async *run(start: string): AsyncGenerator<CrawlEvent, void> {
    const { fetcher, signal, maxPages, known } = this.#options;
    const requested = pageUrl(start);
    if (!requested) {
      throw new FetchError("invalid_url", `Cannot fetch ${displayUrl(start)}: it must be a URL`);
    }
    const first = isPageList(requested) ? undefined : await this.#fetchStart(requested);
    if (first?.status === "gone" && !known?.has(first.url.href)) {
      throw new FetchError("http_status", `Cannot fetch ${displayUrl(first.url)}: the page does not exist`);
    }
    this.#prefix = prefixOf(this.#options.prefix, first?.url ?? requested);
    const site = first?.url ?? requested;
    const { method, urls } = await discoverPages(site, { fetcher, signal, prefix: this.#prefix, maxPages });
    this.#followsLinks = method === "links";
    if (first) this.#queued.set(pagePath(first.url, this.#prefix), "");
    for (const url of known?.keys() ?? []) this.#enqueue(url, "", 0);
    for (const [url, { links }] of known ?? []) for (const link of links ?? []) this.#enqueue(link, url, 0);
    for (const url of urls) this.#enqueue(url, "", 0);
    if (first) yield* this.#first(first);
    yield* this.#fetchAll();
  }

  /** Waits for the requests that are in progress. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#active);
  }

  /** The start may redirect anywhere on its host, and to or from the `www` host. */
  #fetchStart(url: URL): Promise<FetchResult> {
    const bareHost = (host: string) => host.replace(/^www\./, "");
    return this.#options.fetcher.fetch(url, {
      validators: this.#options.known?.get(url.href),
      signal: this.#options.signal,
      checkRedirect: (next) => {
        if (bareHost(next.host) === bareHost(url.host)) return;
        throw leavesPrefix(url, next);
      },
    });
  }

  *#first(result: FetchResult): Generator<CrawlEvent, void> {
    this.#fetched++;
    if (isBelow(result.url, this.#prefix)) yield* this.#events({ url: result.url, depth: 0 }, result);
    // Only its links count.
    else if (result.status === "fetched") this.#follow(this.#scan(result), result.url.href, 0);
  }

  async *#fetchAll(): AsyncGenerator<CrawlEvent, void> {
    const { maxPages, maxBytes = 2 ** 30 } = this.#options;
    for (;;) {
      const isFull = this.#fetched >= maxPages || this.#bytes >= maxBytes;
      while (
        !isFull && this.#queue.length > 0 && this.#active.size < CONCURRENCY && this.#fetched < maxPages
      ) {
        this.#fetched++;
        this.#startFetch(this.#queue.shift()!);
      }
      if (this.#active.size === 0) break;
      const { task, events } = await Promise.race(this.#active);
      this.#active.delete(task);
      yield* events;
      for (const { type } of events) this.#failuresInRow = type === "failed" ? this.#failuresInRow + 1 : 0;
      if (this.#failuresInRow >= MAX_FAILURES_IN_ROW) {
        return yield { type: "incomplete", message: `${MAX_FAILURES_IN_ROW} pages in a row failed` };
      }
    }
    if (this.#queue.length === 0) return;
    const limit = this.#fetched >= maxPages ? `${maxPages} pages` : `${maxBytes} bytes`;
    yield { type: "incomplete", message: `The crawl ended at its limit of ${limit}; more pages were found` };
  }

  #startFetch(page: QueuedPage): void {
    const task: Promise<FinishedPage> = this.#fetch(page).then((events) => ({ task, events }));
    this.#active.add(task);
  }

  async #fetch(page: QueuedPage): Promise<CrawlEvent[]> {
    const { fetcher, signal, known } = this.#options;
    try {
      const result = await fetcher.fetch(page.url, {
        validators: known?.get(page.url.href),
        signal,
        checkRedirect: (next) => {
          if (!isBelow(next, this.#prefix)) throw leavesPrefix(page.url, next);
        },
      });
      return this.#events(page, result);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchError)) throw error;
      const isKnown = known?.has(page.url.href) ?? false;
      // Links to pictures, for example.
      const isIgnored = error.code === "unsupported_type" || error.code === "disallowed_by_robots" ||
        error.code === "invalid_redirect";
      return isIgnored && !isKnown ? [] : [{ type: "failed", url: page.url.href, error }];
    }
  }

  /** Converts the result of a page to events, and queues its links. */
  #events({ url, depth }: QueuedPage, result: FetchResult): CrawlEvent[] {
    const { known } = this.#options;
    if (result.status === "not_modified") {
      this.#yielded.add(pagePath(url, this.#prefix));
      return [{ type: "unchanged", url: url.href }];
    }
    if (result.status !== "fetched") return known?.has(url.href) ? [{ type: "gone", url: url.href }] : [];
    this.#bytes += result.bytes.length;
    const page = this.#scan(result);
    const canonical = this.#canonical(result.url, page);
    const links = this.#follow(page, canonical.href, depth);
    const path = pagePath(canonical, this.#prefix);
    const isMoved = known?.has(url.href) && pagePath(url, this.#prefix) !== path;
    const gone: CrawlEvent[] = isMoved ? [{ type: "gone", url: url.href }] : [];
    if (page?.noindex || robotsDirectives(result.robotsTag ?? "").noindex) {
      return known?.has(url.href) ? [{ type: "gone", url: url.href }] : [];
    }
    if (this.#yielded.has(path)) return gone;
    this.#yielded.add(path);
    if (!this.#queued.has(path)) this.#queued.set(path, "");
    return [...gone, { type: "fetched", url: canonical.href, path, document: result, links }];
  }

  #scan({ url, bytes, contentType }: FetchedDocument): PageLinks | undefined {
    return isHtml(contentType) ? scanLinks(new TextDecoder().decode(bytes), url) : undefined;
  }

  /**
   * Returns the URL of a page without what its canonical link leaves out. A canonical link to another path is
   * ignored: those of old documentation lead to the current version, and some sites link every page to the start.
   */
  #canonical(url: URL, page: PageLinks | undefined): URL {
    const own = pageUrl(url) ?? url;
    const canonical = page?.canonical === undefined ? undefined : pageUrl(page.canonical);
    if (!canonical || !isBelow(canonical, this.#prefix)) return own;
    const withoutQuery = new URL(own);
    withoutQuery.search = "";
    return pagePath(canonical, this.#prefix) === pagePath(withoutQuery, this.#prefix) ? canonical : own;
  }

  /** Queues the links of a page. Returns those that were first found there. */
  #follow(page: PageLinks | undefined, from: string, depth: number): string[] {
    if (!this.#followsLinks || depth >= MAX_DEPTH) return [];
    return (page?.links ?? []).filter((link) => this.#enqueue(link, from, depth + 1));
  }

  /** Queues a page below the prefix. Returns whether it was found on the page `from` first. */
  #enqueue(link: string | URL, from: string, depth: number): boolean {
    const url = pageUrl(link);
    if (!url || !/^https?:$/.test(url.protocol) || !isBelow(url, this.#prefix)) return false;
    const path = pagePath(url, this.#prefix);
    const finder = this.#queued.get(path);
    if (finder !== undefined || this.#queue.length >= MAX_QUEUE) return finder === from;
    this.#queued.set(path, from);
    this.#queue.push({ url, depth });
    return true;
  }
}

function prefixOf(prefix: string | undefined, start: URL): SitePrefix {
  if (prefix === undefined) return folderOf(start);
  const url = URL.parse(prefix);
  if (!url) throw new FetchError("invalid_url", `Cannot crawl below ${displayUrl(prefix)}: it must be a URL`);
  const { host, pathname } = url;
  return { host, pathname: pathname.endsWith("/") ? pathname : `${pathname}/` };
}

function leavesPrefix(from: URL, to: URL): FetchError {
  return new FetchError(
    "invalid_redirect",
    `Cannot fetch ${displayUrl(from)}: its redirect to ${displayUrl(to)} leaves the site`,
  );
}
