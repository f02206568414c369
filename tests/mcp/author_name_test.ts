import { assertEquals } from "@std/assert";
import { z } from "zod";
import { type Caller, defineTool, type Tool } from "../../src/tools/mod.ts";
import { authorName } from "../../src/mcp/author_name.ts";
import { annotations } from "../support/annotations.ts";
import { openDispatcher } from "../support/dispatcher.ts";
import { request, stateless } from "../support/messages.ts";

/** Returns the caller that a tool sees, of a message with these headers. */
async function callerOf(message: unknown, headers: Record<string, string>): Promise<Caller | undefined> {
  let seen: Caller | undefined;
  const tool = defineTool({
    name: "look",
    title: "Look",
    description: "Stores its caller.",
    scope: "read",
    input: z.strictObject({}),
    output: z.object({}),
    annotations,
    run: (_, { caller }) => {
      seen = caller;
      return Promise.resolve({});
    },
  });
  await using mcp = await openDispatcher([tool as unknown as Tool]);
  await mcp.send(message, headers);
  return seen;
}

const NAMES: readonly [userAgent: string, name: string | undefined][] = [
  ["claude-code/2.1.0 (cli)", "claude-code"],
  ["  Cursor", "Cursor"],
  ["python-httpx/0.28.1", "python-httpx"],
  ["Mozilla/5.0 (X11; Linux)", undefined],
  ["(only a comment)", undefined],
  ["", undefined],
];

for (const [userAgent, name] of NAMES) {
  Deno.test(`until 2025-11-25 the name is the first product of User-Agent: ${JSON.stringify(userAgent)}`, async () => {
    const headers = { "user-agent": userAgent, "mcp-protocol-version": "2025-11-25" };
    assertEquals(await callerOf(request("tools/call", { name: "look" }), headers), {
      id: "alice",
      scope: "write",
      name,
    });
  });
}

Deno.test("2026-07-28: the name is that of the request's clientInfo", async () => {
  const [message, headers] = stateless("tools/call", { name: "look" });
  assertEquals(await callerOf(message, { ...headers, "user-agent": "node" }), {
    id: "alice",
    scope: "write",
    name: "c",
  });
});

Deno.test("2026-07-28: a request without clientInfo has the name of its User-Agent", async () => {
  const _meta = { "io.modelcontextprotocol/clientInfo": undefined };
  const [message, headers] = stateless("tools/call", { name: "look", _meta });
  assertEquals((await callerOf(message, { ...headers, "user-agent": "node/24" }))?.name, "node");
});

for (
  const [claimed, name] of [
    ["Claude\u202e\nDesktop", "Claude Desktop"],
    ["x".repeat(101), `${"x".repeat(99)}…`],
    ["\u200b", undefined],
  ]
) {
  Deno.test(`a claimed name is one visible line of limited length: ${JSON.stringify(claimed?.slice(0, 9))}`, async () => {
    const _meta = { "io.modelcontextprotocol/clientInfo": { name: claimed, version: "1" } };
    const [message, headers] = stateless("tools/call", { name: "look", _meta });
    assertEquals((await callerOf(message, headers))?.name, name);
  });
}

Deno.test("with a named key, the author is the key with the client, which cannot imitate another one", () => {
  const author = (claimed: string | undefined, userAgent = "") => {
    const _meta = {
      "io.modelcontextprotocol/clientInfo": claimed === undefined ? undefined : { name: claimed },
    };
    return authorName("alice", { _meta }, new Headers({ "user-agent": userAgent }));
  };
  assertEquals(author("Claude"), "alice (Claude)");
  assertEquals(author(undefined), "alice");
  assertEquals(author(undefined, "curl/8.1"), "alice (curl)");
  assertEquals(author("bob (Claude)"), "alice (bob (Claude))");
  assertEquals(author("x".repeat(200)), `alice (${"x".repeat(91)}…)`);
});
