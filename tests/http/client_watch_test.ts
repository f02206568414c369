import { assertEquals } from "@std/assert";
import { watchClient } from "../../src/http/client_watch.ts";

/** Watches a request whose client can disconnect. */
function watchRequest(options: { isDisconnected?: boolean } = {}) {
  const client = new AbortController();
  if (options.isDisconnected) client.abort();
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", signal: client.signal });
  const events: string[] = [];
  const slow = Promise.withResolvers<void>();
  const stop = watchClient(request, {
    onDisconnect: () => events.push("disconnect"),
    onSlow: () => {
      events.push("slow");
      slow.resolve();
    },
  });
  return { client, events, slow: slow.promise, stop };
}

Deno.test("a disconnect is reported once", () => {
  const { client, events, stop } = watchRequest();
  client.abort();
  client.abort();
  stop();
  assertEquals(events, ["disconnect"]);
});

Deno.test("a disconnect before watching began is reported asynchronously", async () => {
  const { events, stop } = watchRequest({ isDisconnected: true });
  assertEquals(events, []);
  await Promise.resolve();
  stop();
  assertEquals(events, ["disconnect"]);
});

Deno.test("a request that takes long is reported as slow", async () => {
  const { events, slow, stop } = watchRequest();
  await slow;
  stop();
  assertEquals(events, ["slow"]);
});

// The sanitizers also check that no timer is left.
Deno.test("nothing is reported after watching has stopped", () => {
  const { client, events, stop } = watchRequest();
  stop();
  client.abort();
  assertEquals(events, []);
});
