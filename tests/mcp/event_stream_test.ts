import { assertEquals } from "@std/assert";
import { EventStream } from "../../src/mcp/mod.ts";

/** The JSON texts of a stream that has ended. */
async function messages(stream: EventStream): Promise<string[]> {
  const text = await new Response(stream.body).text();
  return [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json]) => String(json));
}

Deno.test("a client that is slow to read gets the oldest notifications, and the response in any case", async () => {
  const stream = new EventStream(() => {});
  for (let i = 0; i < 1000; i++) stream.notify(`{"progress":${i}}`);
  stream.end(`{"result":{}}`);
  const received = await messages(stream);
  assertEquals(received.length, 17);
  assertEquals([received[0], received.at(-1)], [`{"progress":0}`, `{"result":{}}`]);
});

Deno.test("a stream has ended when its response was sent, and says nothing after it", async () => {
  let disconnected = 0;
  const stream = new EventStream(() => disconnected++);
  stream.end(`{"result":{}}`);
  await stream.ended;
  stream.notify(`{"progress":1}`);
  stream.end(`{"result":{"again":true}}`);
  assertEquals(await messages(stream), [`{"result":{}}`]);
  assertEquals(disconnected, 0);
});

Deno.test("a client that goes away is told of once, and what is sent later is dropped", async () => {
  let disconnected = 0;
  const stream = new EventStream(() => disconnected++);
  stream.notify(`{"progress":1}`);
  await stream.body.cancel();
  stream.notify(`{"progress":2}`);
  stream.end(`{"result":{}}`);
  await stream.ended;
  assertEquals(disconnected, 1);
});
