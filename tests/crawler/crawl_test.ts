import { gzipSync } from "node:zlib";
import { assertEquals, assertRejects } from "@std/assert";
import {
  crawl,
  type CrawlEvent,
  type CrawlOptions,
  FetchError,
  type KnownPage,
} from "../../src/crawler/mod.ts";
import { startSite, testFetcher, type TestPage, type TestSite } from "./site.ts";

/** Crawls a site and describes the events, in alphabetical order. */
async function crawled(
  site: TestSite,
  start: string,
  options: Partial<CrawlOptions> = {},
): Promise<string[]> {
  const fetcher = testFetcher([site]);
  const events: string[] = [];
  for await (const event of crawl(site.url + start, { fetcher, maxPages: 100, ...options })) {
    events.push(describe(event, site));
  }
  return events.sort();
}

function describe(event: CrawlEvent, site: TestSite): string {
  if (event.type === "incomplete") return `incomplete: ${event.message}`;
  const url = event.url.replace(site.url, "/");
  if (event.type === "fetched") return `${event.path} = ${url}`;
  return event.type === "failed" ? `failed ${url}: ${event.error.code}` : `${event.type} ${url}`;
}

const gzip = (content: string | Uint8Array) => new Uint8Array(gzipSync(content));
const links = (...urls: string[]) => urls.map((url) => `<a href="${url}">link</a>`).join("");

Deno.test("a crawl follows links below the prefix, each page once", async () => {
  await using site = startSite({
    "/docs/": links(
      "a",
      "b/#top",
      "b?utm_source=x",
      "/other",
      "https://example.com/",
      "mailto:a@b.test",
      "logo.png",
    ),
    "/docs/a": links("./", "a", "b/", "deep/c.html"),
    "/docs/b/": links("../a"),
    "/docs/deep/c.html": links("../missing", "/docs"),
    "/docs/logo.png": new Response("", { headers: { "content-type": "image/png" } }),
    "/other": "outside",
  });
  assertEquals(await crawled(site, "docs/"), [
    "a = /docs/a",
    "b = /docs/b/",
    "deep/c.html = /docs/deep/c.html",
    "index = /docs/",
  ]);
  assertEquals(site.requests.includes("/other"), false);
  assertEquals(site.requests.filter((path) => path.startsWith("/docs/b")).length, 1);
});

Deno.test("a crawl ends at its limits of pages and bytes, and says so", async () => {
  const pages = Object.fromEntries(Array.from({ length: 20 }, (_, at): [string, TestPage] => [
    `/${at}`,
    links(`/${at + 1}`, `/${at + 2}`) + "x".repeat(1000),
  ]));
  await using site = startSite(pages);
  const byPages = await crawled(site, "0", { maxPages: 5 });
  assertEquals(byPages.length, 6);
  assertEquals(byPages.at(-1), "incomplete: The crawl ended at its limit of 5 pages; more pages were found");
  const byBytes = await crawled(site, "0", { maxBytes: 3000 });
  assertEquals(
    byBytes.at(-1),
    "incomplete: The crawl ended at its limit of 3000 bytes; more pages were found",
  );
  assertEquals(byBytes.length < 8, true);
});

Deno.test("a crawl takes the pages of the sitemap instead of following links", async () => {
  await using site = startSite({
    "/robots.txt": "Sitemap: /maps/index.xml\nUser-agent: *\nDisallow: /docs/secret",
    "/maps/index.xml":
      "<sitemapindex><sitemap><loc>1.xml.gz</loc></sitemap><sitemap><loc>index.xml</loc></sitemap></sitemapindex>",
    "/maps/1.xml.gz": () =>
      new Response(gzip(
        "<urlset><url><loc>/docs/a</loc></url><url><loc>/docs/secret</loc></url><url><loc>/blog/b</loc></url></urlset>",
      )),
    "/docs/": links("unlisted"),
    "/docs/a": links("unlisted"),
    "/docs/unlisted": "text",
    "/docs/secret": "text",
  });
  assertEquals(await crawled(site, "docs/"), ["a = /docs/a", "index = /docs/"]);
});

Deno.test("a crawl takes the pages of llms.txt if there is no sitemap", async () => {
  await using site = startSite({
    "/docs/": links("linked"),
    "/docs/llms.txt":
      "# Docs\n\n## Pages\n\n- [A](a.md)\n- [B](/docs/b.md): notes\n- [C](https://example.com/c)\n",
    "/docs/a.md": "# A",
    "/docs/b.md": "# B",
  });
  assertEquals(await crawled(site, "docs/"), ["a.md = /docs/a.md", "b.md = /docs/b.md", "index = /docs/"]);
  assertEquals(await crawled(site, "docs/llms.txt"), ["a.md = /docs/a.md", "b.md = /docs/b.md"]);
});

Deno.test("a sitemap that inflates without end counts as missing", async () => {
  const bomb = gzip(new Uint8Array(60 * 2 ** 20));
  await using site = startSite({
    "/": links("a"),
    "/a": "text",
    "/sitemap.xml": () => new Response(bomb),
  });
  assertEquals(await crawled(site, ""), ["a = /a", "index = /"]);
});

Deno.test("redirects below the prefix are followed; those that leave it are refused", async () => {
  const to = (location: string) => () => new Response(null, { status: 301, headers: { location } });
  await using site = startSite({
    "/docs": to("/docs/v2/"),
    "/docs/v2/": links("old", "away", "other", "new"),
    "/docs/v2/old": to("new"),
    "/docs/v2/new": "text",
    "/docs/v2/away": to("/login"),
    "/docs/v2/other": to("http://169.254.169.254/"),
    "/login": "text",
  });
  assertEquals(await crawled(site, "docs"), ["index = /docs/v2/", "new = /docs/v2/new"]);
  assertEquals(site.requests.includes("/login"), false);
});

Deno.test("a canonical link drops a query, and is ignored if it leads to another page", async () => {
  await using site = startSite({
    "/docs/": links("a?tab=1", "a?tab=2", "b"),
    "/docs/a": `<link rel="canonical" href="/docs/a">`,
    "/docs/b": `<link rel="canonical" href="/docs/">`,
  });
  assertEquals(await crawled(site, "docs/"), ["a = /docs/a", "b = /docs/b", "index = /docs/"]);
});

Deno.test("pages with noindex are not stored but followed, as a tag and as a header", async () => {
  await using site = startSite({
    "/": links("a", "b"),
    "/a": `<meta name="robots" content="noindex">${links("c")}`,
    "/b": new Response("text", { headers: { "content-type": "text/html", "x-robots-tag": "noindex" } }),
    "/c": "text",
  });
  assertEquals(await crawled(site, ""), ["c = /c", "index = /"]);
});

Deno.test("known pages are fetched again: unchanged, gone, failed or moved", async () => {
  await using site = startSite({
    "/": links("a"),
    "/a": "text",
    "/same": (request) =>
      new Response(null, { status: request.headers.get("if-none-match") === "v1" ? 304 : 500 }),
    "/broken": new Response("", { status: 500 }),
    "/moved": () => new Response(null, { status: 301, headers: { location: "/here" } }),
    "/here": "text",
  });
  const known = new Map(
    ["same", "missing", "broken", "moved"].map((path) => [site.url + path, { etag: "v1" }]),
  );
  assertEquals(await crawled(site, "", { known }), [
    "a = /a",
    "failed /broken: http_status",
    "gone /missing",
    "gone /moved",
    "here = /here",
    "index = /",
    "unchanged /same",
  ]);
});

Deno.test("a crawl fails if its start is missing, and gives up a site that is down", async () => {
  await using site = startSite({
    "/": links(...Array.from({ length: 40 }, (_, at) => `/${at}`)),
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`/${at}`, new Response("", { status: 503 })]),
    ),
  });
  await assertRejects(() => crawled(site, "missing"), FetchError, "does not exist");
  const events = await crawled(site, "");
  assertEquals(events.filter((event) => event.startsWith("failed")).length, 20);
  assertEquals(events.includes("incomplete: 20 pages in a row failed"), true);
});

Deno.test("ending a crawl early cancels its requests", async () => {
  const waiting = Promise.withResolvers<void>();
  await using site = startSite({
    "/": links("a", "b"),
    "/a": "text",
    "/b": (request) => {
      request.signal.addEventListener("abort", () => waiting.resolve());
      return new Response(new ReadableStream(), { headers: { "content-type": "text/html" } });
    },
  });
  for await (const event of crawl(site.url, { fetcher: testFetcher([site]), maxPages: 10 })) {
    if (event.type === "fetched" && event.path === "a") break;
  }
  await waiting.promise;
});

Deno.test("an interrupted crawl continues with the links of the pages that it has stored", async () => {
  const unchanged = (page: string) => (request: Request) =>
    request.headers.has("if-none-match")
      ? new Response(null, { status: 304 })
      : new Response(page, { headers: { "content-type": "text/html", etag: '"1"' } });
  await using site = startSite({
    "/": unchanged(links("a", "b", "c")),
    "/a": unchanged(links("b", "d")),
    "/b": unchanged("text"),
    "/c": unchanged("text"),
    "/d": unchanged("text"),
  });
  const known = new Map<string, KnownPage>();
  const found: string[][] = [];
  for await (const event of crawl(site.url, { fetcher: testFetcher([site]), maxPages: 2 })) {
    if (event.type !== "fetched") continue;
    known.set(event.url, { ...event.document.validators, links: event.links });
    found.push(event.links.map((link) => link.replace(site.url, "/")));
  }
  assertEquals(found, [["/a", "/b", "/c"], ["/d"]]);
  assertEquals(await crawled(site, "", { known }), [
    "b = /b",
    "c = /c",
    "d = /d",
    "unchanged /",
    "unchanged /a",
  ]);
});
