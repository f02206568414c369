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

/** No measurement, but a bound for what hangs: an answer takes milliseconds. */
const PATIENCE_MS = 5_000;

/** What an answer said, in the words of a verdict. */
function verdictOf({ status, body }: RawResponse): string {
  if (status === 202) return body === "" ? "accepted" : `202 with ${body}`;
  const { jsonrpc, id, result, error, ...rest } = JSON.parse(body);
  if (jsonrpc !== "2.0" || Object.keys(rest).length > 0) return `no JSON-RPC: ${body.slice(0, 200)}`;
  if (status === 200) return JSON.stringify({ id, code: result === undefined ? error.code : null });
  return `${status} ${error.code}`;
}

/** Which answers are right in the era that begins with `initialize`. */
function verdicts({ expected }: Garbage): string[] {
  switch (expected) {
    case "parse":
      return ["400 -32700"];
    case "invalid":
      return ["400 -32600"];
    case "refused":
      return ["400 -32700", "400 -32600"];
    case "accepted":
      return ["accepted"];
    default:
      return [JSON.stringify({ id: expected.id, code: expected.answered ?? null })];
  }
}

/**
 * Which are right under the headers of 2026-07-28: what is no message is refused alike; what is one has not the `_meta`
 * that this revision wants, or its method is not the one that the header names, or it has members that this revision
 * does not name.
 */
function verdicts2026(item: Garbage): string[] {
  const { expected } = item;
  return typeof expected === "object" ? ["400 -32602", "400 -32020", "400 -32600"] : verdicts(item);
}

for (
  const [era, head, expectedOf] of [
    ["no revision in the headers", HEAD, verdicts],
    ["the headers of 2025-11-25", HEAD_2025, verdicts],
    ["the headers of 2026-07-28", HEAD_2026, verdicts2026],
  ] as const
) {
  Deno.test(`garbage under ${era} is refused in its kind, and the server lives`, async () => {
    await using server = await startFixtureServer();
    const problems: string[] = [];
    for (const item of garbage()) {
      const answer = await exchange(server.url, requestBytes(head, item.body), PATIENCE_MS).then(
        verdictOf,
        (error) => `${error}`,
      );
      const allowed = expectedOf(item);
      if (!allowed.includes(answer)) {
        problems.push(`${item.name}: ${answer.slice(0, 200)}, not ${allowed.join(" or ").slice(0, 200)}`);
      }
      const alive = await exchange(server.url, PING, PATIENCE_MS);
      assertEquals([alive.status, JSON.parse(alive.body)], [200, PONG], `no life after: ${item.name}`);
    }
    if (problems.length > 0) throw new AssertionError({ message: problems.join("\n") });
  });
}

Deno.test("the garbage is of as many kinds as a suite of 318 files has", () => {
  const items = garbage();
  assertEquals(new Set(items.map(({ name }) => name)).size, items.length);
  if (items.length < 318) throw new AssertionError({ message: `${items.length} cases` });
});
