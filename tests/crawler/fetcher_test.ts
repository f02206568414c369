import { gzipSync } from "node:zlib";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type FetcherOptions, FetchError, type FetchErrorCode } from "../../src/crawler/mod.ts";
import { type Send, startRawServer, startSite, testFetcher, type TestSite } from "./site.ts";

const HTML = { "content-type": "text/html; charset=utf-8" };

/** Fetches a URL that must be refused with a code, and returns the message. */
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

/** Starts a server that sends the head of a page with more fields, and then writes its body. */
function startPage(fields: string, body: (send: Send) => Promise<void> = async () => {}): TestSite {
  return startRawServer(async (send) => {
    await send(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${fields}\r\n`);
    await body(send);
  });
}

/** Sends parts until the client closes the connection. Returns the number of bytes that it took. */
async function sendForever(send: Send, part: Uint8Array<ArrayBuffer> | string): Promise<void> {
  for (;;) await send(part);
}

Deno.test("a page is fetched with its type, name and validators, and the program names itself", async () => {
  let headers = new Headers();
  await using site = startSite({
    "/docs/": (request) => {
      headers = request.headers;
      return new Response("<p>Hello", { headers: { ...HTML, etag: '"1"', "last-modified": "yesterday" } });
    },
  });
  const result = await testFetcher([site]).fetch(`${site.url}docs/#top`);
  assert(result.status === "fetched");
  const { url, bytes, filename, contentType, validators } = result;
  assertEquals(new TextDecoder().decode(bytes), "<p>Hello");
  assertEquals([url.href, filename, contentType], [
    `${site.url}docs/`,
    "index.html",
    "text/html; charset=utf-8",
  ]);
  assertEquals(validators, { etag: '"1"', lastModified: "yesterday" });
  assertEquals(headers.get("user-agent"), "kb-mcp/1.2.3");
  assertEquals(headers.get("host"), site.host);
  assertEquals([headers.get("cookie"), headers.get("authorization"), headers.get("referer")], [
    null,
    null,
    null,
  ]);
});

Deno.test("a version that the caller has is not sent again; missing pages are gone; errors are not", async () => {
  await using site = startSite({
    "/": (request) =>
      new Response(null, { status: request.headers.get("if-none-match") === '"1"' ? 304 : 500 }),
    "/gone": new Response("gone", { status: 410 }),
  });
  const fetcher = testFetcher([site]);
  assertEquals((await fetcher.fetch(site.url, { validators: { etag: '"1"' } })).status, "not_modified");
  assertEquals((await fetcher.fetch(`${site.url}missing`)).status, "gone");
  assertEquals((await fetcher.fetch(`${site.url}gone`)).status, "gone");
  assertMatch(await refused("http_status", site.url, [site]), /sent status 500/);
});

Deno.test("the file name gets an extension of the media type", async () => {
  const served = (type: string) => () => new Response("text", { headers: { "content-type": type } });
  await using site = startSite({
    "/a.php": served("text/html"),
    "/b.pdf": served("application/octet-stream"),
    "/c.md": served("text/plain"),
    "/d": served("Application/PDF; x=y"),
    "/caf%C3%A9%2Fx.HTM": served("text/html"),
  });
  const fetcher = testFetcher([site]);
  const names: string[] = [];
  for (const path of ["a.php", "b.pdf", "c.md", "d", "caf%C3%A9%2Fx.HTM"]) {
    const result = await fetcher.fetch(site.url + path);
    names.push(result.status === "fetched" ? result.filename : result.status);
  }
  assertEquals(names, ["a.html", "b.pdf", "c.md", "d.pdf", "caf%C3%A9%2Fx.htm"]);
});

Deno.test("pictures, archives and files without a type are refused without reading their body", async () => {
  for (const type of ["image/png", "application/zip", "text/javascript", "application/octet-stream", ""]) {
    await using site = startRawServer(async (send) => {
      await send(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n`);
      await sendForever(send, "x".repeat(65_536));
    });
    assertMatch(await refused("unsupported_type", `${site.url}file`, [site]), /its type must be HTML, PDF/);
  }
});

Deno.test("a body over the limit is refused: declared, sent without end, or after decompression", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50 * 2 ** 20)));
  const servers = [
    startPage("Content-Length: 10000000000\r\n"),
    startPage("", (send) => sendForever(send, "x".repeat(65_536))),
    startPage(
      "Transfer-Encoding: chunked\r\n",
      (send) => sendForever(send, `8000\r\n${"x".repeat(0x8000)}\r\n`),
    ),
    startPage(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`, (send) => send(bomb)),
  ];
  for (const server of servers) {
    await using site = server;
    const message = await refused("too_large", site.url, [site], { maxBytes: 1_000_000 });
    assertMatch(message, /must have at most 1000000 bytes/);
  }
});

Deno.test("a gzip body is decompressed; one that is damaged or compressed otherwise is refused", async () => {
  const page = new Uint8Array(gzipSync("<p>Hello"));
  await using site = startPage("Content-Encoding: gzip\r\n", (send) => send(page));
  const result = await testFetcher([site]).fetch(site.url);
  assertEquals(result.status === "fetched" && new TextDecoder().decode(result.bytes), "<p>Hello");
  await using damaged = startPage("Content-Encoding: gzip\r\n", (send) => send(page.subarray(0, 15)));
  await refused("invalid_response", damaged.url, [damaged]);
  await using brotli = startPage("Content-Encoding: br\r\n");
  assertMatch(await refused("invalid_response", brotli.url, [brotli]), /must be gzip, got br/);
});

Deno.test("a server that sends a byte from time to time does not hold the client", async () => {
  const slowly = (part: string) => async (send: Send) => {
    for (;;) {
      await send(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  for (
    const server of [
      startPage("", slowly("x")),
      startRawServer(async (send) => {
        await send("HTTP/1.1 200 OK\r\nX-Slow: ");
        await slowly("x")(send);
      }),
    ]
  ) {
    await using site = server;
    assertMatch(await refused("timeout", site.url, [site], { timeoutMs: 100 }), /must arrive within 0.1 s/);
  }
});

Deno.test("a response with an endless head, endless interim responses or no HTTP is refused", async () => {
  const field = `X-Field: ${"x".repeat(1000)}\r\n`;
  const raw = (start: string, part: string) =>
    startRawServer(async (send) => {
      await send(start);
      await sendForever(send, part);
    });
  await using head = raw("HTTP/1.1 200 OK\r\n", field);
  await refused("invalid_response", head.url, [head]);
  await using interim = raw("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  assertMatch(await refused("unreachable", interim.url, [interim]), /too many interim responses/);
  await using smtp = raw("220 mail.example.com ESMTP\r\n", "500 unknown command\r\n");
  await refused("invalid_response", smtp.url, [smtp]);
});

Deno.test("a connection that breaks is an error, not a short page", async () => {
  await using site = startPage("Content-Length: 100\r\n", (send) => send("short"));
  await refused("unreachable", site.url, [site]);
});

Deno.test("the caller can cancel a request", async () => {
  const controller = new AbortController();
  await using site = startPage("", async (send) => {
    await send("x");
    controller.abort(new Error("cancelled"));
    await sendForever(send, "x");
  });
  const { signal } = controller;
  await assertRejects(() => testFetcher([site]).fetch(site.url, { signal }), Error, "cancelled");
});

Deno.test("a chunked body without its last chunk is an error, not a short page", async () => {
  await using site = startPage("Transfer-Encoding: chunked\r\n", (send) => send("5\r\nshort\r\n"));
  await refused("unreachable", site.url, [site]);
});

Deno.test("a system clock that is set back does not delay the next request to a site", async () => {
  await using site = startSite({ "/": () => new Response("<p>Hello", { headers: HTML }) });
  const fetcher = testFetcher([site], { delayMs: 1 });
  const now = Date.now;
  try {
    await fetcher.fetch(site.url);
    Date.now = () => now() - 3_600_000;
    assertEquals((await fetcher.fetch(site.url, { signal: AbortSignal.timeout(20_000) })).status, "fetched");
  } finally {
    Date.now = now;
  }
});
