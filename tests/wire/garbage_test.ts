import { assertEquals, AssertionError } from "@std/assert";
import { startFixtureServer } from "./fixture_server.ts";
import type { Garbage } from "./garbage/case.ts";
import { garbage } from "./garbage/mod.ts";
import { exchange, type RawResponse, requestBytes } from "./raw_http.ts";

const HEAD = `POST /mcp HTTP/1.1
Host: localhost
Content-Type: application/json
Accept: application/json, text/event-stream`;
const HEAD_2025 = `${HEAD}
MCP-Protocol-Version: 2025-11-25`;
const HEAD_2026 = `${HEAD}
MCP-Protocol-Version: 2026-07-28
Mcp-Method: ping`;

const PING = requestBytes(HEAD, new TextEncoder().encode(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`));
const PONG = { jsonrpc: "2.0", id: "alive", result: {} };

/** Fails a request without a response, which normally takes milliseconds. */
const TIMEOUT_MS = 5_000;

/** Summarizes a response. */
function verdictOf({ status, body }: RawResponse): string {
  if (status === 202) return body === "" ? "accepted" : `202 with ${body}`;
  const { jsonrpc, id, result, error, ...rest } = JSON.parse(body);
  if (jsonrpc !== "2.0" || Object.keys(rest).length > 0) return `not JSON-RPC: ${body.slice(0, 200)}`;
  if (status === 200) return JSON.stringify({ id, code: result === undefined ? error.code : null });
  return `${status} ${error.code}`;
}

/** Returns the allowed responses for the versions with a handshake. */
function verdicts({ expected }: Garbage): string[] {
  switch (expected) {
    case "parse":
      return ["400 -32700"];
    case "invalid":
      return ["400 -32600"];
    case "rejected":
      return ["400 -32700", "400 -32600"];
    case "accepted":
      return ["accepted"];
    default:
      return [JSON.stringify({ id: expected.id, code: expected.code ?? null })];
  }
}

/**
 * Returns the allowed responses for the headers of 2026-07-28. A valid message of the other versions is an
 * error here: it has no `_meta`, or its method differs from `Mcp-Method`.
 */
function verdicts2026(item: Garbage): string[] {
  const { expected } = item;
  return typeof expected === "object" ? ["400 -32602", "400 -32020", "400 -32600"] : verdicts(item);
}

for (
  const [headers, head, expectedOf] of [
    ["no version header", HEAD, verdicts],
    ["the headers of 2025-11-25", HEAD_2025, verdicts],
    ["the headers of 2026-07-28", HEAD_2026, verdicts2026],
  ] as const
) {
  Deno.test(`invalid bodies with ${headers} get the expected error, and the server keeps serving`, async () => {
    await using server = await startFixtureServer();
    const problems: string[] = [];
    for (const item of garbage()) {
      const outcome = await exchange(server.url, requestBytes(head, item.body), TIMEOUT_MS).then(
        verdictOf,
        (error) => `${error}`,
      );
      const allowed = expectedOf(item);
      if (!allowed.includes(outcome)) {
        problems.push(`${item.name}: ${outcome.slice(0, 200)}, not ${allowed.join(" or ").slice(0, 200)}`);
      }
      const alive = await exchange(server.url, PING, TIMEOUT_MS);
      assertEquals(
        [alive.status, JSON.parse(alive.body)],
        [200, PONG],
        `the server does not respond after: ${item.name}`,
      );
    }
    if (problems.length > 0) throw new AssertionError({ message: problems.join("\n") });
  });
}

Deno.test("there are at least as many cases as the 318 files of the JSON parsing test suite", () => {
  const items = garbage();
  assertEquals(new Set(items.map(({ name }) => name)).size, items.length);
  if (items.length < 318) throw new AssertionError({ message: `${items.length} cases` });
});
