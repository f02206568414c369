/** Parameters that campaigns and social networks add; they never select content. */
const TRACKING_PARAMETER = /^(?:utm_\w+|gclid|dclid|fbclid|msclkid|mc_cid|mc_eid|igshid|_hsenc|_hsmi)$/i;
/** Maximum length of a path inside a source, in the contract. */
const MAX_PATH_CHARS = 1_500;

/** Part of a site: a host, and the start of its paths. */
export interface SitePrefix {
  readonly host: string;
  /** Ends with `/`. */
  readonly pathname: string;
}

/** Returns the folder of a URL: `https://a.test/docs/` of `https://a.test/docs/start`. */
export function folderOf(url: URL): SitePrefix {
  return { host: url.host, pathname: url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1) };
}

/** Returns whether a URL is below a prefix. Both schemes count as one site. */
export function isBelow(url: URL, { host, pathname }: SitePrefix): boolean {
  return url.host === host && (url.pathname.startsWith(pathname) || `${url.pathname}/` === pathname);
}

/**
 * Returns the URL under which a page is known: without fragment and tracking parameters.
 *
 * @returns undefined for text that is no URL.
 */
export function pageUrl(url: string | URL): URL | undefined {
  const page = URL.parse(url);
  if (!page) return undefined;
  page.hash = "";
  for (const name of [...page.searchParams.keys()]) {
    if (TRACKING_PARAMETER.test(name)) page.searchParams.delete(name);
  }
  return page;
}

/**
 * Returns the path of a page inside its source: its URL's path below the prefix, decoded, with the query.
 *
 * `a`, `a/` and `a/index.html` are one path, since sites serve the same page under them.
 *
 * @example
 * ```ts
 * import { folderOf, pagePath } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const prefix = folderOf(new URL("https://example.com/docs/"));
 * assertEquals(pagePath(new URL("https://example.com/docs/guide/install/"), prefix), "guide/install");
 * ```
 */
export function pagePath(url: URL, { pathname }: SitePrefix): string {
  const below = url.pathname.startsWith(pathname) ? url.pathname.slice(pathname.length) : url.pathname;
  const segments = below.split("/").map(decodeSegment).filter((segment) => segment !== "");
  if (/^index\.(?:html?|php)$/i.test(segments.at(-1) ?? "")) segments.pop();
  const path = segments.join("/") || "index";
  const query = url.search === ""
    ? ""
    : decodeSegment(url.search).replaceAll("/", "%2F").replaceAll("\\", "%5C");
  return truncatePath(`${path}${query}`);
}

/**
 * Returns the path of a page in a source of single pages: its path on the host of the source, or below the name
 * of another host.
 *
 * @param location First page of the source.
 */
export function singlePagePath(url: URL, location: URL): string {
  const path = pagePath(url, { host: url.host, pathname: "/" });
  return url.host === location.host ? path : truncatePath(`${url.host}/${path}`);
}

/** Cuts a path at its maximum length, without a last segment that is empty or consists of dots. */
function truncatePath(path: string): string {
  if (path.length <= MAX_PATH_CHARS) return path.toWellFormed();
  return path.slice(0, MAX_PATH_CHARS).replace(/\/\.{0,2}$/, "").toWellFormed();
}

/** Decodes a segment unless it would become another path, or would not be allowed in one. */
function decodeSegment(segment: string): string {
  let decoded = segment;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    // Not UTF-8: it stays encoded.
  }
  return /[/\\\p{Cc}]|^\.{1,2}$/u.test(decoded) ? segment : decoded;
}
