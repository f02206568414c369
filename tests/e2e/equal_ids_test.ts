import { assertEquals } from "@std/assert";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { startTestServer } from "../support/server.ts";

const CLIENTS = 50;
const ROUNDS = 20;

/** Answers what it was given, some calls later than others, so that answers overtake one another. */
const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Answers what it was given.",
  input: z.strictObject({ text: z.string(), turns: z.int() }),
  output: z.object({ text: z.string() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  run: async ({ text, turns }) => {
    for (let i = 0; i < turns; i++) await Promise.resolve();
    return { text };
  },
});

Deno.test("50 clients × 20 rounds, all with JSON-RPC id 1, each get their own answer", async () => {
  await using server = await startTestServer({ tools: [echo as unknown as Tool] });
  let own = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let round = 0; round < ROUNDS; round++) {
      const text = `client ${client}, round ${round}`;
      const params = { name: "echo", arguments: { text, turns: (client * 7 + round * 13) % 50 } };
      const response = await fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      const answer = await response.json();
      if (answer.id === 1 && answer.result.structuredContent.text === text) own++;
    }
  }));
  assertEquals(own, CLIENTS * ROUNDS);
});
