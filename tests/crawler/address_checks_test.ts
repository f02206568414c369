import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type FetcherOptions, FetchError, type FetchErrorCode, type Resolve } from "../../src/crawler/mod.ts";
import { startSite, testFetcher, type TestSite } from "./site.ts";

async function refused(
  code: FetchErrorCode,
  url: string,
  sites: readonly TestSite[],
  options?: Partial<FetcherOptions>,
): Promise<string> {
  const error = await assertRejects(() => testFetcher(sites, options).fetch(url), FetchError);
  assertEquals([error.code, error.message], [code, error.message]);
  return error.message;
}

function redirectTo(location: string, status = 302): () => Response {
  return () => new Response(null, { status, headers: { location } });
}

Deno.test("a private address is refused in every notation", async () => {
  const urls = [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
  ];
  for (const url of [...urls, "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/"]) {
    assertMatch(
      await refused("private_address", url, []),
      /must have public addresses only.*KB_FETCH_ALLOWED_HOSTS/,
    );
  }
});

Deno.test("a host is refused if one of its addresses is not public", async () => {
  const resolve: Resolve = () => Promise.resolve(["93.184.216.34", "10.0.0.1"]);
  await refused("private_address", "http://mixed.test/", [], { resolve });
  await refused("private_address", "http://localhost./", [], {
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
});

Deno.test("a host without addresses is unreachable", async () => {
  const failing: Resolve = () => Promise.reject(new Error("ENOTFOUND"));
  for (const resolve of [failing, () => Promise.resolve([])]) {
    assertMatch(
      await refused("unreachable", "http://missing.test/", [], { resolve }),
      /host name has no address/,
    );
  }
});

Deno.test("the connection goes to the address that was checked, not to one of a second lookup", async () => {
  await using site = startSite({ "/": "secret" });
  let lookups = 0;
  // An attacker's name server: public for the check, then this machine.
  const resolve: Resolve = () => Promise.resolve([lookups++ % 2 === 0 ? "203.0.113.1" : "127.0.0.1"]);
  await refused("private_address", `http://rebinding.test:8080/`, [], { resolve });
  const { port } = new URL(site.url);
  const names: string[] = [];
  const pinned: Resolve = (host) => {
    names.push(host);
    // Only this one lookup per request may happen: another would fail.
    return names.length <= 2 ? Promise.resolve(["127.0.0.1"]) : Promise.reject(new Error("looked up again"));
  };
  const fetcher = testFetcher([], { resolve: pinned, allowedHosts: ["wiki.corp.test"] });
  const result = await fetcher.fetch(`http://wiki.corp.test:${port}/`);
  assertEquals(result.status, "fetched");
  // One for robots.txt, one for the page; the name does not exist outside of this test.
  assertEquals(names, ["wiki.corp.test", "wiki.corp.test"]);
});

Deno.test("each redirect is checked: address, scheme, port, credentials and robots.txt", async () => {
  await using other = startSite({ "/robots.txt": "User-agent: *\nDisallow: /private", "/private": "text" });
  await using site = startSite({
    "/metadata": redirectTo("http://169.254.169.254/latest/meta-data/"),
    "/name": redirectTo("http://internal.test/"),
    "/file": redirectTo("file:///etc/passwd"),
    "/port": redirectTo("http://93.184.216.34:25/"),
    "/credentials": redirectTo("http://user:pass@93.184.216.34/"),
    "/invalid": redirectTo("http://"),
    "/private": redirectTo(`${other.url}private`),
  });
  const resolve: Resolve = () => Promise.resolve(["10.1.2.3"]);
  const codes: Record<string, FetchErrorCode> = {
    metadata: "private_address",
    name: "private_address",
    file: "invalid_url",
    port: "invalid_url",
    credentials: "invalid_url",
    invalid: "invalid_redirect",
    private: "disallowed_by_robots",
  };
  for (const [path, code] of Object.entries(codes)) {
    await refused(code, site.url + path, [site, other], { resolve });
  }
  assertEquals(other.requests, ["/robots.txt"]);
});

Deno.test("at most five redirects are followed", async () => {
  await using site = startSite({
    ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`/${n}`, redirectTo(`/${n - 1}`, 301 + n % 2)])),
    "/0": "end",
    "/loop": redirectTo("/loop"),
  });
  const result = await testFetcher([site]).fetch(`${site.url}5`);
  assertEquals([result.status, result.url.pathname], ["fetched", "/0"]);
  assertMatch(await refused("invalid_redirect", `${site.url}loop`, [site]), /at most 5 redirects/);
  assertEquals(site.requests.filter((path) => path === "/loop").length, 6);
});

Deno.test("a site whose robots.txt fails is not fetched; one without is", async () => {
  await using failing = startSite({ "/robots.txt": new Response("down", { status: 503 }), "/": "text" });
  assertMatch(await refused("disallowed_by_robots", failing.url, [failing]), /got status 503/);
  assertEquals(failing.requests, ["/robots.txt"]);
  await using forbidden = startSite({ "/robots.txt": new Response("no", { status: 403 }), "/": "text" });
  assertEquals((await testFetcher([forbidden]).fetch(forbidden.url)).status, "fetched");
});

Deno.test("robots.txt is fetched once, read up to 500 KiB, and names what must not be fetched", async () => {
  const rules = "User-agent: kb-mcp\nDisallow: /no\n";
  const cut = "#".repeat(500 * 1024) + "\nDisallow: /\n";
  await using site = startSite({ "/robots.txt": rules + cut, "/no": "text", "/yes": "text" });
  const fetcher = testFetcher([site]);
  assertEquals((await fetcher.fetch(`${site.url}yes`)).status, "fetched");
  const error = await assertRejects(() => fetcher.fetch(`${site.url}no`), FetchError, "disallows it");
  assertEquals(error.code, "disallowed_by_robots");
  assertEquals(site.requests, ["/robots.txt", "/yes"]);
});
