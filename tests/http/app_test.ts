import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { startTestServer, type TestServerOptions } from "../support/server.ts";

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Starts a server of an engine that is never called: starting an embedded one takes longer than these tests. */
function startServer(options: TestServerOptions = {}) {
  return startTestServer({ ...options, env: { KB_ENGINE_URL: "http://127.0.0.1:1", ...options.env } });
}

function call(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/mcp`, { method: "POST", headers: JSON_HEADERS, body: PING, ...init });
}

Deno.test("Host and Origin are checked before the token, and the token before the rest of the request", async () => {
  await using server = await startServer({ env: { KB_MCP_API_KEY: "secret" } });
  const allInvalid = {
    authorization: "Bearer wrong",
    "content-type": "text/plain",
    accept: "text/html",
  };
  const cases: [RequestInit, number][] = [
    [{ headers: { ...allInvalid, origin: "https://evil.example" } }, 403],
    [{ headers: allInvalid }, 401],
    [{ headers: { ...allInvalid, authorization: "Bearer secret" } }, 415],
    [{ headers: { ...JSON_HEADERS, accept: "text/html", authorization: "Bearer secret" } }, 406],
    [
      { headers: { ...JSON_HEADERS, "mcp-protocol-version": "1999-01-01", authorization: "Bearer secret" } },
      400,
    ],
    [{ headers: { ...JSON_HEADERS, authorization: "Bearer secret" }, body: "{" }, 400],
    [{ headers: { ...JSON_HEADERS, authorization: "Bearer secret" } }, 200],
  ];
  for (const [init, status] of cases) {
    const response = await call(server.url, init);
    assertEquals(response.status, status, JSON.stringify(init));
    await response.body?.cancel();
  }
});

Deno.test("GET and DELETE of the MCP endpoint are 405 with a token and 401 without", async () => {
  await using server = await startServer({ env: { KB_MCP_API_KEY: "secret" } });
  for (const method of ["GET", "DELETE"]) {
    const unauthorized = await fetch(`${server.url}/mcp`, { method });
    assertEquals(unauthorized.status, 401);
    await unauthorized.body?.cancel();
    const authorized = await fetch(`${server.url}/mcp`, {
      method,
      headers: { authorization: "Bearer secret" },
    });
    assertEquals(authorized.status, 405);
    await authorized.body?.cancel();
  }
});

Deno.test("a token in the URL is not accepted", async () => {
  await using server = await startServer({ env: { KB_MCP_API_KEY: "secret" } });
  const response = await fetch(`${server.url}/mcp?token=secret&access_token=secret`, {
    method: "POST",
    headers: JSON_HEADERS,
    body: PING,
  });
  assertEquals(response.status, 401);
  await response.body?.cancel();
});

Deno.test("rejected requests get JSON-RPC errors without an id", async () => {
  await using server = await startServer();
  const response = await call(server.url, { headers: { ...JSON_HEADERS, origin: "https://evil.example" } });
  const { jsonrpc, error, ...rest } = await response.json();
  assertEquals([jsonrpc, error.code, rest], ["2.0", -32000, {}]);
});

Deno.test("a compressed body is 415", async () => {
  await using server = await startServer();
  const packed = await new Response(new Blob([PING]).stream().pipeThrough(new CompressionStream("gzip")))
    .bytes();
  const response = await call(server.url, {
    headers: { ...JSON_HEADERS, "content-encoding": "gzip" },
    body: packed,
  });
  assertEquals(response.status, 415);
  assertMatch((await response.json()).error.message, /without Content-Encoding/);
});

Deno.test("a notification is accepted with 202 and no body", async () => {
  await using server = await startServer();
  const response = await call(server.url, { body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
  assertEquals([response.status, await response.text()], [202, ""]);
});

Deno.test("a body over KB_MCP_MAX_BODY is 413, and the server keeps serving", async () => {
  await using server = await startServer({ env: { KB_MCP_MAX_BODY: "64KiB" } });
  const response = await call(server.url, { body: `"${"x".repeat(70_000)}"` });
  assertEquals(response.status, 413);
  assertMatch((await response.json()).error.message, /at most 64 KiB \(KB_MCP_MAX_BODY\)/);
  assertEquals((await (await call(server.url)).json()).result, {});
});

Deno.test("there is no OAuth metadata, because it makes clients drop their static header", async () => {
  await using server = await startServer({ env: { KB_MCP_API_KEY: "secret" } });
  const names = ["oauth-protected-resource/mcp", "oauth-authorization-server", "openid-configuration"];
  for (const path of [...names.map((name) => `.well-known/${name}`), "register", "authorize", "token"]) {
    const response = await fetch(`${server.url}/${path}`, { method: path === "register" ? "POST" : "GET" });
    assertEquals(response.status, 404);
    // As OAuth has it: clients report no other body.
    const { error, error_description } = await response.json();
    assertEquals(error, "invalid_request");
    assertMatch(error_description, /^This server has no OAuth\. .*"Authorization: Bearer KEY"/);
  }
});

Deno.test("only pages of allowed origins get CORS headers", async () => {
  await using server = await startServer({ env: { KB_MCP_ALLOWED_ORIGINS: "https://app.example.com" } });
  const preflight = (origin: string) =>
    fetch(`${server.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
  const allowed = await preflight("https://app.example.com");
  assertEquals(allowed.status, 204);
  assertEquals(allowed.headers.get("access-control-allow-origin"), "https://app.example.com");
  const headers = allowed.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["Authorization", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"]) {
    assert(headers.split(", ").includes(name), name);
  }
  const rejected = await preflight("https://evil.example");
  assertEquals([rejected.status, rejected.headers.get("access-control-allow-origin")], [403, null]);
  await rejected.body?.cancel();
  const response = await call(server.url, {
    headers: { ...JSON_HEADERS, origin: "https://app.example.com" },
  });
  assertEquals(response.headers.get("access-control-allow-origin"), "https://app.example.com");
  assertMatch(response.headers.get("access-control-expose-headers") ?? "", /Mcp-Session-Id/);
  await response.body?.cancel();
});

/** Starts a server that runs one request at a time, and a call of a tool that reports progress and waits. */
async function startHolding() {
  const release = Promise.withResolvers<void>();
  const hold = defineTool({
    name: "hold",
    title: "Hold",
    description: "Reports progress and waits.",
    scope: "read",
    input: z.strictObject({}),
    output: z.object({}),
    annotations,
    run: async (_, { report, signal }) => {
      report({ progress: 1 });
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      await Promise.race([release.promise, aborted]);
      return {};
    },
  });
  const server = await startServer({
    env: { KB_MCP_MAX_CONCURRENT: "1" },
    tools: [hold as unknown as Tool],
  });
  const params = { name: "hold", _meta: { progressToken: 1 } };
  const stream = await call(server.url, {
    headers: { ...JSON_HEADERS, "mcp-session-id": "s" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  assertEquals(stream.headers.get("content-type"), "text/event-stream");
  const isBusy = async () => {
    const response = await call(server.url);
    await response.body?.cancel();
    return response.status === 503;
  };
  return { server, stream, release, isBusy, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

Deno.test("an event stream counts as a running request until it ends", async () => {
  await using held = await startHolding();
  assertEquals(await held.isBusy(), true);
  held.release.resolve();
  assertMatch(await held.stream.text(), /"progress":1[^]*"result"/);
  assertEquals(await held.isBusy(), false);
});

Deno.test("2025-11-25: a call counts as running after its client has disconnected, until it is cancelled", async () => {
  await using held = await startHolding();
  await held.stream.body?.cancel();
  assertEquals(await held.isBusy(), true);
  const cancelled = await call(held.server.url, {
    headers: { ...JSON_HEADERS, "mcp-session-id": "s" },
    body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  });
  assertEquals([cancelled.status, await cancelled.text()], [202, ""]);
  assertEquals(await held.isBusy(), false);
});

Deno.test("a rejected upload no longer counts as a running request", async () => {
  await using server = await startServer({ env: { KB_MCP_MAX_CONCURRENT: "1" } });
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`${server.url}/uploads/unknown`, { method: "PUT", body: "x" });
    assertEquals(response.status, 404);
    await response.body?.cancel();
  }
});

Deno.test("Host and Origin of an upload are checked before its capability", async () => {
  await using server = await startServer();
  const fromPage = await fetch(`${server.url}/uploads/unknown`, {
    method: "PUT",
    headers: { origin: "https://evil.example" },
    body: "x",
  });
  assertEquals(fromPage.status, 403);
  await fromPage.body?.cancel();
  const rebound = await sendRaw(
    server.url,
    "PUT /uploads/unknown HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  );
  assertMatch(rebound, /^HTTP\/1\.1 403 [^]*KB_MCP_ALLOWED_HOSTS/);
});

/** Sends a request that `fetch` cannot send, and returns the response as text. */
async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(request));
  return await new Response(connection.readable).text();
}

Deno.test("healthz, readyz and version need no token", async () => {
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: "secret" } });
  assertEquals(await (await fetch(`${server.url}/healthz`)).json(), { status: "ok" });
  assertEquals(await (await fetch(`${server.url}/readyz`)).json(), { status: "ready" });
  assertEquals((await (await fetch(`${server.url}/version`)).json()).name, "kb-mcp");
});

Deno.test("readyz is 503 while the engine is unreachable, healthz is 200", async () => {
  await using server = await startTestServer({ env: { KB_ENGINE_URL: "http://127.0.0.1:1" } });
  const ready = await fetch(`${server.url}/readyz`);
  assertEquals(ready.status, 503);
  assertEquals(await ready.json(), { status: "engine not ready" });
  const healthy = await fetch(`${server.url}/healthz`);
  assertEquals(healthy.status, 200);
  await healthy.body?.cancel();
});

Deno.test("the home page says where MCP is, to the hosts of the server, without a token", async () => {
  for (const key of [undefined, "secret"]) {
    await using server = await startTestServer({ env: key === undefined ? {} : { KB_MCP_API_KEY: key } });
    const response = await fetch(`${server.url}/`);
    assertEquals([response.status, response.headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
    const text = await response.text();
    assertMatch(text, /MCP endpoint .* is \/mcp/);
    assertEquals(text.includes("bearer token"), key !== undefined);
    assertMatch(
      await sendRaw(server.url, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      /^HTTP\/1.1 403 /,
    );
    const posted = await fetch(`${server.url}/`, { method: "POST" });
    assertEquals(posted.status, 404);
    await posted.body?.cancel();
  }
});

Deno.test("browsers get the web page, also with HEAD, and other clients the text", async () => {
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: "secret" } });
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const page = await fetch(`${server.url}/`, { headers: { accept } });
  assertEquals([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assertEquals(page.headers.get("vary"), "accept");
  assertMatch(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const length = (await page.bytes()).length;
  const head = await fetch(`${server.url}/`, { method: "HEAD", headers: { accept } });
  assertEquals([head.status, head.headers.get("content-length")], [200, String(length)]);
  const known = { accept, "if-none-match": page.headers.get("etag") ?? "" };
  assertEquals((await fetch(`${server.url}/`, { headers: known })).status, 304);
  const script = await fetch(`${server.url}/page/main.js`);
  assertEquals([script.status, script.headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
  await script.body?.cancel();
  const text = await fetch(`${server.url}/`);
  assertEquals([text.headers.get("content-type"), text.headers.get("vary")], [
    "text/plain; charset=utf-8",
    "accept",
  ]);
  await text.body?.cancel();
  for (const path of ["/page/", "/page/x.js", "/page/%2e%2e/main.ts", "/page/..%2fmod.ts"]) {
    const missing = await fetch(`${server.url}${path}`);
    assertEquals([path, missing.status], [path, 404]);
    await missing.body?.cancel();
  }
  for (const path of ["/", "/page/main.js"]) {
    const request =
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    assertMatch(await sendRaw(server.url, request), /^HTTP\/1.1 403 /);
  }
});

Deno.test("KB_MCP_PAGE=off serves the text to browsers as well, and its origin is no exception", async () => {
  const env = { KB_MCP_ALLOWED_ORIGINS: "https://app.example.com" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (const [setting, status] of [["off", 403], ["on", 200]] as const) {
    await using server = await startTestServer({ env: { ...env, KB_MCP_PAGE: setting } });
    const page = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
    const type = setting === "off" ? "text/plain" : "text/html";
    assertEquals(page.headers.get("content-type"), `${type}; charset=utf-8`);
    await page.body?.cancel();
    const script = await fetch(`${server.url}/page/main.js`);
    assertEquals(script.status, setting === "off" ? 404 : 200);
    await script.body?.cancel();
    for (const [origin, expected] of [[server.url, status], ["http://127.0.0.1:1", 403]] as const) {
      const response = await call(server.url, {
        body,
        headers: { "content-type": "application/json", origin },
      });
      assertEquals([setting, origin, response.status], [setting, origin, expected]);
      await response.body?.cancel();
    }
  }
});

Deno.test("a server of a network accepts its own page at addresses, and at names if it has a key or names its hosts", async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const post = async (url: string, host: string) => {
    const response = await sendRaw(
      url,
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\n` +
        `Accept: application/json\r\nAuthorization: Bearer secret\r\nContent-Length: ${body.length}\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
    return Number(/^HTTP\/1.1 (\d+)/.exec(response)?.[1]);
  };
  const network = { KB_MCP_HOST: "0.0.0.0" };
  for (
    const [env, expected] of [
      [{}, [200, 403]],
      [{ KB_MCP_API_KEY: "secret" }, [200, 200]],
      [{ KB_MCP_ALLOWED_HOSTS: "kb.example.com,192.168.1.5" }, [200, 200]],
      [{ KB_MCP_PAGE: "off" as const }, [403, 403]],
    ] as const
  ) {
    await using server = await startTestServer({ env: { ...network, ...env } });
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    assertEquals([env, [await post(url, "192.168.1.5"), await post(url, "kb.example.com")]], [env, expected]);
  }
});

Deno.test("other paths are 404 with the path of the MCP endpoint", async () => {
  await using server = await startServer();
  for (const path of ["/home", "/mcp/", "/sse", "/api/v1/status", "/tokens", "/.well-known/other"]) {
    const response = await fetch(`${server.url}${path}`);
    assertEquals(response.status, 404);
    assertMatch((await response.json()).error.message, /POST \/mcp/);
  }
});

Deno.test("a system clock set back a year changes neither the uptime nor a body timeout", async () => {
  const server = await startTestServer({ env: { KB_MCP_BODY_TIMEOUT: "100ms" } });
  const { hostname, port } = new URL(server.url);
  const now = Date.now;
  try {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const head =
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    await connection.write(new TextEncoder().encode(head));
    Date.now = () => now() - 365 * 24 * 3_600_000;
    const rejected = await connection.read(new Uint8Array(32));
    assert(rejected !== null);
    const status = await call(server.url, {
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kb_status","arguments":{}}}',
    });
    const { structuredContent } = (await status.json()).result;
    assert(structuredContent.server.uptime_seconds >= 0, JSON.stringify(structuredContent.server));
  } finally {
    Date.now = now;
    await server[Symbol.asyncDispose]();
  }
});

Deno.test("clients that announce bodies and send nothing do not make the server busy", async () => {
  await using server = await startServer({ env: { KB_MCP_MAX_CONCURRENT: "1" } });
  const { hostname, port } = new URL(server.url);
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  using connections = new DisposableStack();
  for (let i = 0; i < 30; i++) {
    const connection = connections.use(await Deno.connect({ hostname, port: Number(port) }));
    await connection.write(new TextEncoder().encode(`${head}Content-Length: 8388608\r\n\r\n{`));
  }
  const response = await call(server.url);
  assertEquals([response.status, (await response.json()).result], [200, {}]);
});

Deno.test("wrong tokens of an address are limited, and the right one is accepted", async () => {
  await using server = await startServer({ env: { KB_MCP_API_KEY: "a-secret-of-some-length" } });
  const status = async (token: string) => {
    const response = await call(server.url, {
      headers: { ...JSON_HEADERS, authorization: `Bearer ${token}` },
    });
    await response.body?.cancel();
    return response.status;
  };
  for (let i = 0; i < 10; i++) assertEquals(await status(`guess-${i}`), 401);
  assertEquals([await status("guess"), await status("a-secret-of-some-length")], [429, 200]);
});
