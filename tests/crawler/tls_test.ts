import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { FetchError, type Resolve } from "../../src/crawler/mod.ts";
import { testFetcher } from "./site.ts";

// A certificate for good.test, valid until 2126, whose key protects nothing.
const CERTIFICATE = await Deno.readTextFile(new URL("testdata/good.test.pem", import.meta.url));
const KEY = await Deno.readTextFile(new URL("testdata/good.test.key.pem", import.meta.url));

Deno.test("TLS checks the certificate for the name, although the connection goes to an address", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: CERTIFICATE, key: KEY, onListen() {} },
    (request) =>
      request.url.endsWith("/downgrade")
        ? new Response(null, { status: 302, headers: { location: "http://good.test/" } })
        : new Response(request.headers.get("host"), { headers: { "content-type": "text/plain" } }),
  );
  const { port } = server.addr;
  const resolve: Resolve = () => Promise.resolve(["127.0.0.1"]);
  const allowedHosts = ["good.test", "bad.test", "127.0.0.1"];
  const trusting = testFetcher([], { resolve, allowedHosts, ca: [CERTIFICATE] });
  const fetch = (url: string, fetcher = trusting) => fetcher.fetch(url);

  const result = await fetch(`https://good.test:${port}/`);
  assertEquals(result.status === "fetched" && new TextDecoder().decode(result.bytes), `good.test:${port}`);

  for (const host of ["bad.test", "127.0.0.1"]) {
    const error = await assertRejects(() => fetch(`https://${host}:${port}/`), FetchError);
    assertEquals(error.code, "unreachable");
    assertMatch(error.message, /altnames/);
  }
  const distrusting = testFetcher([], { resolve, allowedHosts });
  await assertRejects(() => fetch(`https://good.test:${port}/`, distrusting), FetchError, "self-signed");
  const error = await assertRejects(
    () => fetch(`https://good.test:${port}/downgrade`),
    FetchError,
    "https:// to http://",
  );
  assertEquals(error.code, "invalid_redirect");
});
