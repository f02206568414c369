import { assertEquals } from "@std/assert";
import { watchClient } from "../../src/http/watch_client.ts";

/** A request whose client can go away, watched. */
function watched(already?: "gone") {
  const client = new AbortController();
  if (already) client.abort();
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", signal: client.signal });
  const told: string[] = [];
  const begun = Promise.withResolvers<void>();
  const stop = watchClient(request, {
    disconnected: () => told.push("disconnected"),
    begin: () => {
      told.push("begin");
      begun.resolve();
    },
  });
  return { client, told, begun: begun.promise, stop };
}

Deno.test("a client that goes away is told of once", () => {
  const { client, told, stop } = watched();
  client.abort();
  client.abort();
  stop();
  assertEquals(told, ["disconnected"]);
});

Deno.test("a client that was gone before anybody watched is told of, after the watching began", async () => {
  const { told, stop } = watched("gone");
  assertEquals(told, []);
  await Promise.resolve();
  stop();
  assertEquals(told, ["disconnected"]);
});

Deno.test("a call that takes long is to begin its answer", async () => {
  const { told, begun, stop } = watched();
  await begun;
  stop();
  assertEquals(told, ["begin"]);
});

// The sanitizers see to it that no timer is left either.
Deno.test("nobody is told anything once the request was answered", () => {
  const { client, told, stop } = watched();
  stop();
  client.abort();
  assertEquals(told, []);
});
