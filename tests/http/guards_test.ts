import { assert, assertEquals, assertMatch } from "@std/assert";
import { bearerGuard } from "../../src/http/guards/bearer.ts";
import { hostGuard, isLoopback, LOOPBACK_HOSTS } from "../../src/http/guards/host.ts";
import { originGuard, originPolicy } from "../../src/http/guards/origin.ts";
import {
  acceptGuard,
  contentEncodingGuard,
  contentTypeGuard,
  methodGuard,
} from "../../src/http/guards/protocol.ts";

type Guard = (request: Request) => Response | undefined;

function post(headers: Record<string, string>): Request {
  return new Request("http://127.0.0.1/mcp", { method: "POST", headers });
}

/** The status with which a guard refuses, or 0 when it lets the request pass. */
function statusOf(guard: Guard, headers: Record<string, string>): number {
  return guard(post(headers))?.status ?? 0;
}

const table: { guard: string; accept: Guard; cases: [Record<string, string>, number][] }[] = [
  {
    guard: "hostGuard on a loopback bind",
    accept: hostGuard([...LOOPBACK_HOSTS, "kb.example.com", "kb.example.com:8443", "only.example.com:1"]),
    cases: [
      [{ host: "localhost:8808" }, 0],
      [{ host: "LOCALHOST" }, 0],
      [{ host: "127.0.0.1:1" }, 0],
      [{ host: "[::1]:8808" }, 0],
      [{ host: "kb.example.com" }, 0],
      [{ host: "kb.example.com:99" }, 0],
      [{ host: "only.example.com:1" }, 0],
      [{ host: "only.example.com:2" }, 403],
      [{ host: "evil.example" }, 403],
      [{ host: "localhost.evil.example" }, 403],
      [{ host: "127.0.0.1.evil.example:8808" }, 403],
      [{}, 403],
    ],
  },
  {
    guard: "hostGuard without a list",
    accept: hostGuard(undefined),
    cases: [[{ host: "10.0.0.7:8808" }, 0]],
  },
  {
    guard: "originGuard with loopback pages",
    accept: originGuard(originPolicy(["https://app.example.com"], true)),
    cases: [
      [{}, 0],
      [{ origin: "https://app.example.com" }, 0],
      [{ origin: "http://localhost:5173" }, 0],
      [{ origin: "http://[::1]:3000" }, 0],
      [{ origin: "http://app.example.com" }, 403],
      [{ origin: "https://app.example.com.evil.example" }, 403],
      [{ origin: "http://localhost.evil.example" }, 403],
      [{ origin: "http://localhost:5173/path" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "" }, 403],
    ],
  },
  {
    guard: "originGuard without loopback pages",
    accept: originGuard(originPolicy([], false)),
    cases: [[{}, 0], [{ origin: "http://localhost:5173" }, 403]],
  },
  {
    guard: "contentTypeGuard",
    accept: contentTypeGuard,
    cases: [
      [{ "content-type": "application/json" }, 0],
      [{ "content-type": "Application/JSON; charset=utf-8" }, 0],
      [{ "content-type": "application/jsonp" }, 415],
      [{ "content-type": "text/plain" }, 415],
      [{ "content-type": "multipart/form-data; boundary=application/json" }, 415],
      [{}, 415],
    ],
  },
  {
    guard: "contentEncodingGuard",
    accept: contentEncodingGuard,
    cases: [[{}, 0], [{ "content-encoding": "gzip" }, 415]],
  },
  {
    guard: "acceptGuard",
    accept: acceptGuard,
    cases: [
      [{ accept: "application/json, text/event-stream" }, 0],
      [{ accept: "application/json" }, 0],
      [{}, 0],
      [{ accept: "text/event-stream, Application/JSON;q=0.9" }, 0],
      [{ accept: "*/*" }, 0],
      [{ accept: "application/*;q=0.1" }, 0],
      [{ accept: "text/html" }, 406],
      [{ accept: "text/event-stream" }, 406],
    ],
  },
];

for (const { guard, accept, cases } of table) {
  for (const [headers, status] of cases) {
    const verdict = status === 0 ? "lets pass" : `answers ${status} to`;
    Deno.test(`${guard} ${verdict} ${JSON.stringify(headers)}`, () =>
      assertEquals(statusOf(accept, headers), status));
  }
}

Deno.test("methodGuard answers 405 with Allow to GET and DELETE", () => {
  for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
    const response = methodGuard(new Request("http://127.0.0.1/mcp", { method }));
    assertEquals(response?.status, 405);
    assertEquals(response?.headers.get("allow"), "POST, OPTIONS");
  }
  assertEquals(methodGuard(post({})), undefined);
});

Deno.test("bearerGuard accepts each of its keys and tells the callers apart", () => {
  const authenticate = bearerGuard(["first-key", "second-key"]);
  const first = authenticate(post({ authorization: "Bearer first-key" }));
  const second = authenticate(post({ authorization: "bearer  second-key" }));
  assert("callerId" in first && "callerId" in second);
  assertMatch(first.callerId, /^[0-9a-f]{64}$/);
  assert(first.callerId !== second.callerId);
});

const badTokens: [string, string | undefined][] = [
  ["no header", undefined],
  ["another key", "Bearer third-key"],
  ["a prefix of the key", "Bearer first-ke"],
  ["the key and more", "Bearer first-key2"],
  ["another scheme", "Basic first-key"],
  ["no token", "Bearer "],
  ["two tokens", "Bearer first-key first-key"],
  ["an endless token", `Bearer ${"x".repeat(100_000)}`],
];
for (const [name, authorization] of badTokens) {
  Deno.test(`bearerGuard refuses ${name} with 401 and WWW-Authenticate: Bearer`, () => {
    const result = bearerGuard(["first-key"])(post(authorization === undefined ? {} : { authorization }));
    assert("refusal" in result);
    assertEquals(result.refusal.status, 401);
    assertMatch(result.refusal.headers.get("www-authenticate") ?? "", /^Bearer /);
    assertEquals(result.refusal.headers.get("www-authenticate")?.includes("resource_metadata"), false);
  });
}

Deno.test("bearerGuard without keys takes every caller as anonymous", () => {
  assertEquals(bearerGuard([])(post({})), { callerId: "anonymous" });
});

Deno.test("isLoopback knows the addresses that only this machine reaches", () => {
  for (const address of ["127.0.0.1", "127.8.9.10", "localhost", "::1", "[::1]"]) {
    assert(isLoopback(address), address);
  }
  for (const address of ["0.0.0.0", "::", "10.0.0.1", "1127.0.0.1", "127.0.0.1.example"]) {
    assert(!isLoopback(address), address);
  }
});
