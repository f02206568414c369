import { assertEquals } from "@std/assert";
import { parseRobots } from "../../src/crawler/mod.ts";

function allows(robots: string, path: string): boolean {
  return parseRobots(robots, "kb-mcp").allows(new URL(path, "https://example.com"));
}

/** Rules of one group for all crawlers: path, and whether it is allowed. RFC 9309 §2.2.2, §2.2.3 and §5. */
const RULES: readonly (readonly [rules: string, path: string, allowed: boolean])[] = [
  ["", "/a", true],
  ["Disallow:", "/a", true],
  ["Disallow: /", "/a", false],
  ["Disallow: /", "/robots.txt", true],
  ["Disallow: /a", "/abc", false],
  ["Disallow: /a", "/b/a", true],
  ["Disallow: /A", "/a", true],
  ["Disallow: /a/\nAllow: /a/b", "/a/b/c", true],
  ["Allow: /a/b\nDisallow: /a/", "/a/c", false],
  ["Disallow: /a\nAllow: /a", "/a", true],
  ["Disallow: *.gif$", "/a/b.gif", false],
  ["Disallow: *.gif$", "/a/b.gif?c", true],
  ["Disallow: /a$", "/a", false],
  ["Disallow: /a$", "/ab", true],
  ["Disallow: /a*b*c", "/a12b34c5", false],
  ["Disallow: /a*b*c", "/a12c34b5", true],
  ["Disallow: /*?", "/a?b", false],
  ["Disallow: /*ab$", "/aab", false],
  ["Disallow: /a*a$", "/a", true],
  ["Disallow: /caf%C3%A9", "/café", false],
  ["Disallow: /café", "/caf%c3%a9", false],
  ["Disallow: /%7Ejoe", "/~joe", false],
  ["Disallow: /a%2Fb", "/a/b", true],
  ["disallow : /a # comment", "/a", false],
  ["DISALLOW: /a", "/a", false],
];

for (const [rules, path, allowed] of RULES) {
  Deno.test(`robots.txt: ${JSON.stringify(rules)} ${allowed ? "allows" : "disallows"} ${path}`, () => {
    assertEquals(allows(`User-agent: *\n${rules}`, path), allowed);
  });
}

Deno.test("robots.txt: groups that name the crawler replace those for all", () => {
  const robots = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: KB-MCP/2.0\nDisallow: /a\n\n" +
    "User-agent: kb-mcp\nDisallow: /b";
  assertEquals(["/a", "/b", "/c"].map((path) => allows(robots, path)), [false, false, true]);
});

Deno.test("robots.txt: a group for a longer name is not for this crawler", () => {
  assertEquals(allows("User-agent: kb-mcp-other\nDisallow: /", "/a"), true);
});

Deno.test("robots.txt: an empty group that names the crawler allows everything", () => {
  assertEquals(allows("\ufeffUser-agent: *\r\nDisallow: /\r\rUser-agent: kb-mcp\nSitemap: /s", "/a"), true);
});

Deno.test("robots.txt: a sitemap does not end a group, and delays are per group", () => {
  const { allows, crawlDelay, sitemaps } = parseRobots(
    "User-agent: kb-mcp\nSitemap: https://example.com/s.xml\nUser-agent: x\nDisallow: /\nCrawl-delay: 2.5",
    "kb-mcp",
  );
  assertEquals([allows(new URL("https://example.com/a")), crawlDelay, sitemaps], [
    false,
    2.5,
    ["https://example.com/s.xml"],
  ]);
});

// Work or memory that is quadratic in the file would take minutes or gigabytes.
Deno.test("robots.txt: hostile files are read to their end", () => {
  const agents = Array.from({ length: 8_000 }, (_, at) => `user-agent:${at}\n`).join("") +
    "allow:/\n".repeat(14_000) + "User-agent: *\nDisallow: /";
  const wildcards = "User-agent: *\nDisallow: /" + "*a".repeat(100_000);
  const rules = "User-agent: *\n" + "Disallow: /*b*c\n".repeat(10_000) + "Disallow: /";
  const path = `/${"a".repeat(1900)}`;
  assertEquals([agents, wildcards, rules].map((robots) => allows(robots, path)), [false, true, false]);
});
