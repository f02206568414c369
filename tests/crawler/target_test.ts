import { assert, assertEquals, assertThrows } from "@std/assert";
import { FetchError } from "../../src/crawler/mod.ts";
import { parseTarget } from "../../src/crawler/target.ts";

Deno.test("a target has the host and port of its URL, without fragment", () => {
  const { url, host, port, allowed } = parseTarget("HTTPS://Docs.Example.com./a?b=c#d", []);
  assertEquals([url.href, host, port, allowed], [
    "https://docs.example.com./a?b=c",
    "docs.example.com",
    443,
    false,
  ]);
});

Deno.test("a target writes addresses in the one notation that is classified", () => {
  const hosts = [
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://①②⑦.0.0.1/",
  ];
  for (const url of hosts) assertEquals(parseTarget(url, []).host, "127.0.0.1");
  assertEquals(parseTarget("http://[::FFFF:127.0.0.1]/", []).host, "::ffff:7f00:1");
});

for (
  const [url, requirement] of [
    ["file:///etc/passwd", "must start with http:// or https://"],
    ["ftp://example.com/a", "must start with http:// or https://"],
    ["gopher://example.com/_GET", "must start with http:// or https://"],
    ["data:text/html,a", "must start with http:// or https://"],
    ["https://user:secret@example.com/", "must not have credentials"],
    ["https://user@example.com/", "must not have credentials"],
    ["http://example.com:25/", "port must be 80, 443, 8080 or 8443"],
    ["http://example.com:6379/", "port must be"],
    ["http://[fe80::1%25eth0]/", "must be a URL"],
    ["http://256.1.1.1/", "must be a URL"],
    ["example.com", "must be a URL"],
    [`https://example.com/${"a".repeat(2000)}`, "must be a URL of at most 2000 characters"],
  ] as const
) {
  Deno.test(`a URL is refused: ${url.slice(0, 50)}`, () => {
    const error = assertThrows(() => parseTarget(url, []), FetchError, requirement);
    assertEquals(error.code, "invalid_url");
    assert(!error.message.includes("secret"));
  });
}

Deno.test("an allowed host may have any port, and one with a port only that one", () => {
  const allowed = ["wiki.corp.example", "127.0.0.1:3000", "[::1]"];
  for (const url of ["http://wiki.corp.example:9000/", "http://127.0.0.1:3000/", "http://[::1]:5000/"]) {
    assertEquals(parseTarget(url, allowed).allowed, true);
  }
  assertEquals(parseTarget("http://127.0.0.1:8080/", allowed).allowed, false);
  assertThrows(() => parseTarget("http://127.0.0.1:3001/", allowed), FetchError, "port must be");
  assertThrows(() => parseTarget("http://sub.wiki.corp.example:9000/", allowed), FetchError, "port must be");
});
