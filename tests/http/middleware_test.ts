import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { isLoopback, LOOPBACK_HOSTS } from "../../src/http/mod.ts";
import { type Fields, silentLogger } from "../../src/telemetry/mod.ts";
import { authenticate } from "../../src/http/middleware/bearer.ts";
import { compose, type Middleware } from "../../src/http/middleware/compose.ts";
import { cors } from "../../src/http/middleware/cors.ts";
import { checkHost, hostPolicy } from "../../src/http/middleware/host.ts";
import { requireAcceptJson, requireJsonBody } from "../../src/http/middleware/media_types.ts";
import { requireMethod } from "../../src/http/middleware/method.ts";
import { hashOfKey, KeyRing, type Scope } from "../../src/keys/mod.ts";
import { checkOrigin, originPolicy } from "../../src/http/middleware/origin.ts";

/** Sends a request through middleware; the handler behind it responds with 200 and the caller's id. */
async function send(
  middleware: Middleware,
  headers: Record<string, string>,
  method = "POST",
  client = "127.0.0.1",
): Promise<Response> {
  const handler = middleware((_, { caller }) => new Response(caller?.id));
  const request = new Request("http://127.0.0.1/mcp", { method, headers });
  return await handler(request, { path: "/mcp", client });
}

const table: { name: string; middleware: Middleware; cases: [Record<string, string>, number][] }[] = [
  {
    name: "checkHost on a loopback address",
    middleware: checkHost(
      hostPolicy([...LOOPBACK_HOSTS, "kb.example.com", "kb.example.com:8443", "only.example.com:1"]),
    ),
    cases: [
      [{ host: "localhost:8808" }, 200],
      [{ host: "LOCALHOST" }, 200],
      [{ host: "127.0.0.1:1" }, 200],
      [{ host: "[::1]:8808" }, 200],
      [{ host: "kb.example.com" }, 200],
      [{ host: "kb.example.com:99" }, 200],
      [{ host: "only.example.com:1" }, 200],
      [{ host: "only.example.com:2" }, 403],
      [{ host: "evil.example" }, 403],
      [{ host: "localhost.evil.example" }, 403],
      [{ host: "127.0.0.1.evil.example:8808" }, 403],
      [{}, 403],
    ],
  },
  {
    name: "checkHost for any host",
    middleware: checkHost(hostPolicy(undefined)),
    cases: [[{ host: "10.0.0.7:8808" }, 200], [{}, 200]],
  },
  {
    name: "checkOrigin with loopback pages",
    middleware: checkOrigin(originPolicy(["https://app.example.com"], true)),
    cases: [
      [{}, 200],
      [{ origin: "https://app.example.com" }, 200],
      [{ origin: "http://localhost:5173" }, 200],
      [{ origin: "http://[::1]:3000" }, 200],
      [{ origin: "http://app.example.com" }, 403],
      [{ origin: "https://app.example.com.evil.example" }, 403],
      [{ origin: "http://localhost.evil.example" }, 403],
      [{ origin: "http://localhost:5173/path" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "" }, 403],
    ],
  },
  {
    name: "checkOrigin without loopback pages",
    middleware: checkOrigin(originPolicy([], false)),
    cases: [
      [{}, 200],
      [{ origin: "http://localhost:5173" }, 403],
      [{ origin: "http://localhost:8808", host: "localhost:8808" }, 403],
    ],
  },
  {
    name: "checkOrigin with the server's own page at addresses",
    middleware: checkOrigin(originPolicy([], false, "at addresses")),
    cases: [
      [{ origin: "http://localhost:8808", host: "localhost:8808" }, 200],
      [{ origin: "http://127.0.0.1:8808", host: "127.0.0.1:8808" }, 200],
      [{ origin: "https://192.168.1.5", host: "192.168.1.5" }, 200],
      [{ origin: "http://[fd00::5]:8808", host: "[FD00::5]:8808" }, 200],
      [{ origin: "http://127.0.0.1:8809", host: "127.0.0.1:8808" }, 403],
      [{ origin: "http://localhost:8808", host: "127.0.0.1:8808" }, 403],
      // A name that its owner has pointed to this server (DNS rebinding).
      [{ origin: "http://evil.example:8808", host: "evil.example:8808" }, 403],
      [{ origin: "http://127.0.0.1.evil.example", host: "127.0.0.1.evil.example" }, 403],
      [{ origin: "null", host: "null" }, 403],
      [{ origin: "http://127.0.0.1:8808" }, 403],
    ],
  },
  {
    name: "checkOrigin with the server's own page at any host",
    middleware: checkOrigin(originPolicy([], false, "at any host")),
    cases: [
      [{ origin: "https://kb.example.com", host: "KB.example.com" }, 200],
      [{ origin: "http://kb.example.com:8808", host: "kb.example.com:8808" }, 200],
      [{ origin: "https://kb.example.com", host: "kb.example.com:8808" }, 403],
      [{ origin: "https://app.example.com", host: "kb.example.com" }, 403],
      [{ origin: "https://kb.example.com/x", host: "kb.example.com" }, 403],
    ],
  },
  {
    name: "requireJsonBody",
    middleware: requireJsonBody(),
    cases: [
      [{ "content-type": "application/json" }, 200],
      [{ "content-type": "Application/JSON; charset=utf-8" }, 200],
      [{ "content-type": "application/jsonp" }, 415],
      [{ "content-type": "text/plain" }, 415],
      [{ "content-type": "multipart/form-data; boundary=application/json" }, 415],
      [{}, 415],
    ],
  },
  {
    name: "requireAcceptJson",
    middleware: requireAcceptJson(),
    cases: [
      [{ accept: "application/json, text/event-stream" }, 200],
      [{ accept: "application/json" }, 200],
      [{}, 200],
      [{ accept: "text/event-stream, Application/JSON;q=0.9" }, 200],
      [{ accept: "*/*" }, 200],
      [{ accept: "application/*;q=0.1" }, 200],
      [{ accept: "text/html" }, 406],
      [{ accept: "text/event-stream" }, 406],
    ],
  },
];
for (const { name, middleware, cases } of table) {
  for (const [headers, status] of cases) {
    Deno.test(`${name}: ${JSON.stringify(headers)} is ${status}`, async () => {
      assertEquals((await send(middleware, headers)).status, status);
    });
  }
}

Deno.test("requireMethod rejects other methods with 405 and Allow", async () => {
  const middleware = requireMethod("POST", "send JSON-RPC messages by POST");
  for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
    const response = await send(middleware, {}, method);
    assertEquals([response.status, response.headers.get("allow")], [405, "POST, OPTIONS"]);
  }
  assertEquals((await send(middleware, {})).status, 200);
});

Deno.test("authenticate identifies callers by the SHA-256 of their token", async () => {
  const middleware = authenticate(["first-token", "second-token"], { log: silentLogger });
  const first = await (await send(middleware, { authorization: "Bearer first-token" })).text();
  const second = await (await send(middleware, { authorization: "bearer  second-token" })).text();
  assertMatch(first, /^[0-9a-f]{64}$/);
  assertMatch(second, /^[0-9a-f]{64}$/);
  assertNotEquals(first, second);
});

const rejectedTokens: [name: string, authorization: string | undefined, error: string | undefined][] = [
  ["no header", undefined, undefined],
  ["another scheme", "Basic first-token", undefined],
  ["no token", "Bearer ", undefined],
  ["two tokens", "Bearer first-token first-token", undefined],
  ["a token of 100,000 characters", `Bearer ${"x".repeat(100_000)}`, undefined],
  ["another token", "Bearer third-token", "invalid_token"],
  ["a prefix of the token", "Bearer first-toke", "invalid_token"],
  ["the token with a suffix", "Bearer first-token2", "invalid_token"],
];
for (const [name, authorization, error] of rejectedTokens) {
  Deno.test(`authenticate rejects ${name} with 401 and WWW-Authenticate: Bearer`, async () => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await send(authenticate(["first-token"], { log: silentLogger }), headers);
    const challenge = response.headers.get("www-authenticate") ?? "";
    assertEquals(response.status, 401);
    assertMatch(challenge, /^Bearer /);
    // RFC 6750 §3.1: no error code without a token.
    assertEquals(/error="([^"]*)"/.exec(challenge)?.[1], error);
    assert(!challenge.includes("resource_metadata"));
  });
}

Deno.test("authenticate without tokens accepts every caller as anonymous", async () => {
  assertEquals(await (await send(authenticate([], { log: silentLogger }), {})).text(), "anonymous");
});

Deno.test("authenticate answers further wrong tokens of a client with 429, and logs once", async () => {
  const warnings: Fields[] = [];
  const middleware = authenticate(["right-token"], {
    log: { warn: (_, fields = {}) => void warnings.push(fields) },
  });
  const status = async (authorization: string | undefined, client: string) => {
    const headers = authorization === undefined ? {} : { authorization } as Record<string, string>;
    const response = await send(middleware, headers, "POST", client);
    return [response.status, response.headers.get("retry-after")];
  };
  for (let i = 0; i < 10; i++) assertEquals(await status(`Bearer wrong${i}`, "192.0.2.7"), [401, null]);
  for (let i = 0; i < 3; i++) assertEquals(await status("Bearer wrong", "192.0.2.7"), [429, "6"]);
  assertEquals(warnings, [{ client: "192.0.2.7" }]);
  assertEquals(await status("Bearer right-token", "192.0.2.7"), [200, null]);
  assertEquals(await status(undefined, "192.0.2.7"), [401, null]);
  assertEquals(await status("Bearer wrong", "192.0.2.8"), [401, null]);
});

Deno.test("authenticate accepts named keys with their scope, and says why it rejects others", async () => {
  const keys = await openKeys({
    alice: { scope: "add" },
    bob: { scope: "read", expires_at: "2026-01-01T00:00:00.000Z" },
  });
  const middleware = authenticate(["operator"], { log: silentLogger, keys });
  const callers: unknown[] = [];
  const handler = middleware((_, { caller }) => {
    callers.push(caller);
    return new Response();
  });
  const reject = async (headers: Record<string, string>) => {
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers });
    const response = await handler(request, { path: "/mcp", client: "127.0.0.1" });
    return [response.status, (await response.text()).match(/Unauthorized: [^"\\]*/)?.[0]];
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  assertEquals(await reject(bearer("key-of-alice")), [200, undefined]);
  assertEquals(await reject(bearer("operator")), [200, undefined]);
  assertEquals(callers, [
    { id: hashOfKey("key-of-alice"), key: "alice", scope: "add" },
    { id: hashOfKey("operator"), key: "default", scope: "write" },
  ]);
  assertEquals(await reject(bearer("key-of-bob")), [
    401,
    "Unauthorized: your key has expired on 2026-01-01. Ask the operator of this server for a new one (kb-mcp key rotate)",
  ]);
  assertEquals((await reject(bearer(hashOfKey("key-of-alice"))))[0], 401, "the hash is no key");
  assertMatch(String((await reject(bearer("guess")))[1]), /not a key of this server, or no longer/);
  assertEquals((await reject({}))[0], 401);
});

Deno.test("authenticate hashes a header once, and one that was accepted not again", async () => {
  const keys = await openKeys({ alice: { scope: "add" } });
  const middleware = authenticate(["operator"], { log: silentLogger, keys });
  const statuses: unknown[] = [];
  for (const token of ["key-of-alice", "key-of-alice", "operator", "operator", "guess"]) {
    let status = 0;
    // A token is read where it is hashed.
    const read = await tokensRead(async () => {
      status = (await send(middleware, { authorization: `Bearer ${token}` })).status;
    });
    statuses.push([status, read]);
  }
  assertEquals(statuses, [[200, 1], [200, 0], [200, 1], [200, 0], [401, 1]]);
});

/** Counts how often a token is read from a header. */
async function tokensRead(run: () => Promise<void>): Promise<number> {
  const { exec } = RegExp.prototype;
  let count = 0;
  RegExp.prototype.exec = function (text) {
    if (this.source.startsWith("^Bearer ")) count++;
    return exec.call(this, text);
  };
  try {
    await run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return count;
}

Deno.test("authenticate follows a change of the keys", async () => {
  let name = "alice";
  let time = 0;
  const source = {
    identify: () => Promise.resolve(name),
    read: () => {
      const key = { name, sha256: hashOfKey(`key-of-${name}`), scope: "read" as const };
      return Promise.resolve({ identity: name, keys: [{ ...key, created_at: "2026-01-01T00:00:00.000Z" }] });
    },
  };
  const keys = await KeyRing.open({ path: "/keys.json", log: silentLogger, source, now: () => time });
  const middleware = authenticate(["operator"], { log: silentLogger, keys });
  const accepted = async (token: string) =>
    (await send(middleware, { authorization: `Bearer ${token}` })).status === 200;
  assertEquals([await accepted("key-of-alice"), await accepted("key-of-bob")], [true, false]);
  [name, time] = ["bob", 10_000];
  assertEquals([await accepted("key-of-bob"), await accepted("key-of-alice")], [true, false]);
  assertEquals(await accepted("operator"), true);
});

Deno.test("authenticate rejects everybody if the keys file has no keys", async () => {
  const middleware = authenticate([], { log: silentLogger, keys: await openKeys({}) });
  assertEquals((await send(middleware, {})).status, 401);
  assertEquals((await send(middleware, { authorization: "Bearer anonymous" })).status, 401);
});

/** Opens keys that do not change: the key of a name is `key-of-NAME`. */
async function openKeys(keys: Record<string, { scope: Scope; expires_at?: string }>): Promise<KeyRing> {
  const stored = Object.entries(keys).map(([name, key]) => ({
    name,
    sha256: hashOfKey(`key-of-${name}`),
    created_at: "2026-01-01T00:00:00.000Z",
    ...key,
  }));
  const source = {
    identify: () => Promise.resolve("1"),
    read: () => Promise.resolve({ identity: "1", keys: stored }),
  };
  return await KeyRing.open({ path: "/keys.json", log: silentLogger, source });
}

Deno.test("cors adds headers for pages, to error responses as well", async () => {
  const middleware = compose(checkOrigin(() => true), cors(), requireMethod("POST", "POST it"));
  for (const method of ["POST", "GET"]) {
    const response = await send(middleware, { origin: "https://app.example.com" }, method);
    assertEquals(response.headers.get("access-control-allow-origin"), "https://app.example.com");
    assertEquals(response.headers.get("vary"), "Origin");
  }
  const response = await send(middleware, {});
  assertEquals(response.headers.get("access-control-allow-origin"), null);
});

Deno.test("cors answers a request for options without an origin with 204 and Allow", async () => {
  const response = await send(cors(), {}, "OPTIONS");
  assertEquals([response.status, response.headers.get("allow")], [204, "POST, PUT, OPTIONS"]);
  assertEquals(response.headers.get("access-control-allow-methods"), null);
});

Deno.test("isLoopback recognizes addresses that only this machine reaches", () => {
  for (const address of ["127.0.0.1", "127.8.9.10", "localhost", "::1", "[::1]"]) {
    assert(isLoopback(address), address);
  }
  for (const address of ["0.0.0.0", "::", "10.0.0.1", "1127.0.0.1", "127.0.0.1.example"]) {
    assert(!isLoopback(address), address);
  }
});
