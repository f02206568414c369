import { assertEquals } from "@std/assert";
import { folderOf, isBelow, pagePath, pageUrl } from "../../src/crawler/page_url.ts";

const PREFIX = folderOf(new URL("https://example.com/docs/start"));

for (
  const [url, path] of [
    ["https://example.com/docs/", "index"],
    ["https://example.com/docs/index.html", "index"],
    ["https://example.com/docs/guide/install", "guide/install"],
    ["https://example.com/docs/guide/install/", "guide/install"],
    ["https://example.com/docs/guide/index.htm", "guide"],
    ["https://example.com/docs//guide///a.html", "guide/a.html"],
    ["https://example.com/docs/caf%C3%A9%20x", "café x"],
    ["https://example.com/docs/a%2Fb/%5Cc/%00", "a%2Fb/%5Cc/%00"],
    ["https://example.com/docs/%FF", "%FF"],
    ["https://example.com/docs/a%252e", "a%2e"],
    ["https://example.com/docs/a?b=c&d=%2Fe", "a?b=c&d=%2Fe"],
    ["https://example.com/docs/a?b=\\", "a?b=%5C"],
    [`https://example.com/docs/${"a".repeat(1_499)}/b`, "a".repeat(1_499)],
    ["https://example.com/other/a", "other/a"],
  ] as const
) {
  Deno.test(`the path of ${url.slice(0, 60)} is ${path.slice(0, 30)}`, () =>
    assertEquals(pagePath(new URL(url), PREFIX), path));
}

Deno.test("the folder of a page is its prefix, which other hosts and similar names are not below", () => {
  assertEquals(PREFIX, { host: "example.com", pathname: "/docs/" });
  const below = ["https://example.com/docs/a", "http://example.com/docs/", "https://example.com/docs"];
  const outside = [
    "https://example.com/docs2/a",
    "https://www.example.com/docs/a",
    "https://example.com:8443/docs/a",
  ];
  assertEquals(below.map((url) => isBelow(new URL(url), PREFIX)), [true, true, true]);
  assertEquals(outside.map((url) => isBelow(new URL(url), PREFIX)), [false, false, false]);
});

Deno.test("the URL of a page has no fragment and no tracking parameters", () => {
  const url = "https://example.com/a?utm_source=x&id=1&gclid=y&ref=2#top";
  assertEquals(pageUrl(url)?.href, "https://example.com/a?id=1&ref=2");
  assertEquals(pageUrl("https://"), undefined);
});
