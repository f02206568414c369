import { assertEquals } from "@std/assert";
import { parseLlmsTxt, scanLinks } from "../../src/crawler/mod.ts";
import { robotsDirectives } from "../../src/crawler/html_links.ts";
import { parseSitemap } from "../../src/crawler/sitemap.ts";

const PAGE = new URL("https://example.com/docs/page");
const links = (html: string) => scanLinks(html, PAGE).links;

Deno.test("links are absolute, decoded, and listed once", () => {
  const html = `<A HREF='a?b=1&amp;c=2'>1</a><a title="x>y" href=b>2</a><a href=" a?b=1&#38;c=2 ">3</a>
    <map><area href="/c"></map><a href="https://other.test/d">4</a><a name="e">5</a>`;
  assertEquals(links(html), [
    "https://example.com/docs/a?b=1&c=2",
    "https://example.com/docs/b",
    "https://example.com/c",
    "https://other.test/d",
  ]);
});

Deno.test("links in comments, scripts and text areas are not links", () => {
  const html = `<!-- <a href="a">1</a> --><script>"<a href='b'>"</script><style><a href="c"></style>
    <textarea><a href="d"></textarea><title><a href="e"></title><a href="f">6</a>`;
  assertEquals(links(html), ["https://example.com/docs/f"]);
});

Deno.test("links refer to the first base", () => {
  assertEquals(links(`<base href="/other/"><base href="/x/"><a href="a">1</a>`), [
    "https://example.com/other/a",
  ]);
});

Deno.test("links with nofollow are left out, one by one or all", () => {
  assertEquals(links(`<a href="a" rel="external NoFollow">1</a><a href="b">2</a>`), [
    "https://example.com/docs/b",
  ]);
  assertEquals(links(`<meta name="robots" content="index, nofollow"><a href="a">1</a>`), []);
});

Deno.test("a page's canonical link and noindex are found", () => {
  const page = scanLinks(`<link rel="canonical" href="/docs/p"><meta name=ROBOTS content=NOINDEX>`, PAGE);
  assertEquals(page, { links: [], canonical: "https://example.com/docs/p", noindex: true });
  assertEquals(robotsDirectives("otherbot: x, none"), { noindex: true, nofollow: true });
});

Deno.test("a hostile page is scanned in linear time", () => {
  const nested = "<b>".repeat(100_000) + "</i>".repeat(100_000);
  const attributes = `<a ${Array.from({ length: 50_000 }, (_, at) => `a${at}=1`).join(" ")} href="x">`;
  for (const html of [nested, attributes, "<a href=".repeat(50_000), "&".repeat(300_000)]) links(html);
  assertEquals(links(`<a href="${"x".repeat(5_000_000)}">`).length, 0);
});

Deno.test("a sitemap lists its pages, and only those", () => {
  const sitemap = parseSitemap(`<?xml version="1.0"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">
      <url><loc> https://example.com/a?b=1&amp;c=2 </loc><image:image><image:loc>https://i.test/</image:loc></image:image></url>
      <url><loc><![CDATA[https://example.com/b]]></loc><lastmod>2026-01-01</lastmod></url>
      <other><loc>https://example.com/c</loc></other>
    </urlset>`);
  assertEquals(sitemap, {
    kind: "urls",
    locations: ["https://example.com/a?b=1&c=2", "https://example.com/b"],
  });
});

Deno.test("a sitemap index lists sitemaps; prefixes are ignored", () => {
  const index =
    `<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>https://a.test/1.xml</s:loc></s:sitemap></s:sitemapindex>`;
  assertEquals(parseSitemap(index), { kind: "index", locations: ["https://a.test/1.xml"] });
});

Deno.test("entities that a sitemap declares are not expanded", () => {
  const bomb =
    `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>https://example.com/&b;&f;</loc></url></urlset>`;
  assertEquals(parseSitemap(bomb)?.locations, ["https://example.com/&b;&f;"]);
});

Deno.test("a sitemap may be a list of lines; other text is none", () => {
  assertEquals(parseSitemap("https://a.test/1\nhttps://a.test/2\n")?.locations, [
    "https://a.test/1",
    "https://a.test/2",
  ]);
  for (const text of ["", "<html><body>missing</body></html>", "<rss></rss>", "plain text"]) {
    assertEquals(parseSitemap(text), undefined);
  }
});

Deno.test("a sitemap with a million entries is cut", () => {
  assertEquals(
    parseSitemap(`<urlset>${"<url><loc>https://a.test/</loc></url>".repeat(50_001)}`)?.locations.length,
    50_000,
  );
  assertEquals(parseSitemap("<urlset>".repeat(100_000))?.locations, []);
});

Deno.test("the links of an llms.txt are those of its lists", () => {
  const text =
    `# Project\n\n> Summary with a [link](https://not.test/).\n\n## Docs\n\n- [Start](start.md): first steps
- [API reference](https://other.test/api)\n* [Start again](./start.md#top)\n\n## Optional\n\n- [FAQ](<faq.md>)\n- plain`;
  assertEquals(parseLlmsTxt(text, new URL("https://example.com/docs/llms.txt")), [
    "https://example.com/docs/start.md",
    "https://other.test/api",
    "https://example.com/docs/start.md#top",
    "https://example.com/docs/faq.md",
  ]);
  assertEquals(parseLlmsTxt("<!doctype html><h1># no</h1>", PAGE), undefined);
});
