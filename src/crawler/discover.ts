import { gunzipFile } from "./body.ts";
import { FetchError } from "./errors.ts";
import type { Fetcher } from "./fetcher.ts";
import { parseLlmsTxt } from "./llms_txt.ts";
import { isBelow, pageUrl, type SitePrefix } from "./page_url.ts";
import { parseSitemap } from "./sitemap.ts";
import type { WebResponse } from "./web_client.ts";

/** Maximum number of sitemap files of a site. */
const MAX_SITEMAP_FILES = 50;
/** Maximum size of all decompressed sitemaps of a site in bytes. */
const MAX_SITEMAP_BYTES = 50 * 2 ** 20;

const SITEMAP = /\/sitemap[^/]*\.(?:xml|txt)(?:\.gz)?$/i;
const LLMS_TXT = /\/llms\.txt$/i;

/** Returns whether a URL is that of a sitemap or an `llms.txt`, by its name. */
export function isPageList({ pathname }: URL): boolean {
  return SITEMAP.test(pathname) || LLMS_TXT.test(pathname);
}

/** Where the list of pages came from. */
export type DiscoveryMethod = "sitemap" | "llms.txt" | "links";

/** Pages of a site. */
export interface DiscoveredPages {
  readonly method: DiscoveryMethod;
  /** Pages below the prefix; empty for `links`. */
  readonly urls: readonly URL[];
}

/** Options of {@linkcode discoverPages}. */
export interface DiscoverOptions {
  readonly fetcher: Fetcher;
  /** Only pages below it are returned. */
  readonly prefix: SitePrefix;
  /** Maximum number of pages. */
  readonly maxPages: number;
  readonly signal: AbortSignal;
}

/**
 * Finds the pages of a site: from its sitemaps, or else its `llms.txt`. If neither lists pages below the
 * prefix, links have to be followed.
 *
 * @param start A page, a sitemap or an `llms.txt`; the latter two are used alone.
 */
export async function discoverPages(start: URL, options: DiscoverOptions): Promise<DiscoveredPages> {
  const { fetcher, prefix, signal } = options;
  if (SITEMAP.test(start.pathname)) {
    return { method: "sitemap", urls: await readSitemaps([start], options) };
  }
  if (LLMS_TXT.test(start.pathname)) {
    return { method: "llms.txt", urls: await readLlmsTxt(start, options) ?? [] };
  }
  const named = (await fetcher.sitemaps(start, signal)).map((url) => URL.parse(url, start))
    .filter((url) => url !== null);
  const folders = new Set([prefix.pathname, "/"]);
  const inFolders = (name: string) => [...folders].map((folder) => new URL(`${folder}${name}`, start));
  const sitemapUrls = await readSitemaps([...named, ...inFolders("sitemap.xml")], options);
  if (sitemapUrls.length > 0) return { method: "sitemap", urls: sitemapUrls };
  for (const url of inFolders("llms.txt")) {
    const urls = await readLlmsTxt(url, options) ?? [];
    if (urls.length > 0) return { method: "llms.txt", urls };
  }
  return { method: "links", urls: [] };
}

/** Reads sitemaps and those that their indexes list, within the limits. Unreadable ones count as missing. */
async function readSitemaps(
  sitemaps: readonly URL[],
  { fetcher, prefix, maxPages, signal }: DiscoverOptions,
): Promise<URL[]> {
  const pages = new Map<string, URL>();
  const queue = [...sitemaps];
  const seen = new Set<string>();
  let bytes = 0;
  while (queue.length > 0 && seen.size < MAX_SITEMAP_FILES && pages.size < maxPages) {
    const url = queue.shift()!;
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    const text = await fetchText(url, { fetcher, signal, maxBytes: MAX_SITEMAP_BYTES - bytes });
    if (text === undefined) continue;
    bytes += text.length;
    const sitemap = parseSitemap(text);
    const locations = (sitemap?.locations ?? []).map((location) => URL.parse(location, url))
      .filter((location) => location !== null);
    if (sitemap?.kind === "index") queue.push(...locations.slice(0, MAX_SITEMAP_FILES));
    else addPages(pages, locations, prefix, maxPages);
  }
  return [...pages.values()];
}

async function readLlmsTxt(url: URL, options: DiscoverOptions): Promise<URL[] | undefined> {
  const { fetcher, prefix, maxPages, signal } = options;
  const text = await fetchText(url, { fetcher, signal, maxBytes: MAX_SITEMAP_BYTES });
  const links = text === undefined ? undefined : parseLlmsTxt(text, url);
  const pages = new Map<string, URL>();
  addPages(pages, (links ?? []).map((link) => new URL(link)), prefix, maxPages);
  return [...pages.values()];
}

function addPages(pages: Map<string, URL>, urls: readonly URL[], prefix: SitePrefix, maxPages: number): void {
  for (const url of urls) {
    const page = pageUrl(url);
    if (page && isBelow(page, prefix) && pages.size < maxPages) pages.set(page.href, page);
  }
}

/** Returns the text of a list; undefined if it does not exist, or the site forbids reading it. */
async function fetchText(
  url: URL,
  { fetcher, signal, maxBytes }: { fetcher: Fetcher; signal: AbortSignal; maxBytes: number },
): Promise<string | undefined> {
  try {
    const response: WebResponse | undefined = await fetcher.fetchList(url, signal);
    if (!response) return undefined;
    const bytes = await gunzipFile(response.url, response.bytes, maxBytes);
    return new TextDecoder().decode(bytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchError) return undefined;
    throw error;
  }
}
