import { assert, assertEquals } from "@std/assert";
import { RelativePath } from "../../../src/contract/mod.ts";
import { parseLlmsTxt, parseRobots, scanLinks } from "../../../src/crawler/mod.ts";
import { folderOf, isBelow, pagePath, pageUrl } from "../../../src/crawler/page_url.ts";
import { parseSitemap } from "../../../src/crawler/sitemap.ts";
import { parseTarget } from "../../../src/crawler/target.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const BASE = new URL("https://example.com/docs/page");
/** Paths that rules of a robots.txt are matched with. */
const PATHS = ["/", "/a", "/a/b.gif?c", "/%7Ejoe/caf%C3%A9", "/aaaa/bbbb/aaaa"];

/**
 * No input makes a parser of the crawler throw. A rule of a robots.txt matches like the regular expression that
 * it stands for; each link has a path that a source accepts; a URL is fetched only over HTTP, without
 * credentials.
 */
export const crawler: FuzzTarget = {
  name: "crawler",
  iterations: 500,
  maxBytes: 3000,
  seeds: utf8([
    "User-agent: *\nDisallow: /a*b$\nAllow: /a/b.gif\nSitemap: https://example.com/s.xml\nCrawl-delay: 1",
    `<base href="x/"><a href="../a?b=1&amp;c#d">1</a><link rel=canonical href='/p'><meta name=robots content=none>`,
    `<urlset><url><loc>https://example.com/a&amp;b</loc></url><url><loc><![CDATA[/c]]></loc></url></urlset>`,
    "# Title\n\n- [A](a.md): note\n- [B](<https://example.com/b>)\n",
    "http://2130706433:8080/a%2Fb/..%2f/%00?utm_source=x&q=%2F#f",
  ]),
  dictionary: utf8([
    "*",
    "$",
    "%2e%2e",
    "%2F",
    "%5C",
    "%00",
    "\\",
    "//",
    "@",
    ":",
    "<",
    ">",
    "&amp;",
    "[::1]",
    "]]>",
  ]),
  open: () => (input) => {
    const text = new TextDecoder().decode(input);
    checkRobots(text);
    const links = scanLinks(text, BASE).links;
    const { locations = [] } = parseSitemap(text) ?? {};
    for (const link of [...links, ...locations, ...parseLlmsTxt(text, BASE) ?? [], text]) checkUrl(link);
  },
};

function checkUrl(link: string): void {
  const url = pageUrl(link);
  // URLs of other schemes, such as mailto:, have no path.
  if (!url || !/^https?:$/.test(url.protocol)) return;
  for (const prefix of [folderOf(BASE), folderOf(url)]) {
    const path = pagePath(url, prefix);
    assert(RelativePath.safeParse(path).success, JSON.stringify([link, path]));
  }
  assert(isBelow(url, folderOf(url)), link);
  try {
    const target = parseTarget(url, []);
    assertEquals([target.url.username, target.url.password, target.url.hash], ["", "", ""]);
  } catch (error) {
    assertEquals((error as Error).name, "FetchError", String(error));
  }
}

/** Compares with regular expressions, which backtrack but say the same. */
function checkRobots(text: string): void {
  const value = /^disallow:[ \t]*([/*][a-z0-9/.?*~-]{0,40}\$?)[ \t]*$/im.exec(text)?.[1];
  parseRobots(text, "kb-mcp");
  if (value === undefined || value.split("*").length > 6) return;
  const rules = parseRobots(`User-agent: *\nDisallow: ${value}`, "kb-mcp");
  const source = value.replace(/\$$/, "").split("*").map(RegExp.escape).join(".*");
  const pattern = new RegExp(`^${source}${value.endsWith("$") ? "$" : ""}`, "s");
  for (const path of PATHS) {
    const url = new URL(path, BASE);
    const normalized = (url.pathname + url.search).replace("%7E", "~");
    assertEquals(rules.allows(url), !pattern.test(normalized), JSON.stringify([value, path]));
  }
}
