import { assertEquals } from "@std/assert";
import { ResponseStream } from "../../src/mcp/mod.ts";

/** Returns the messages of a stream that has ended. */
async function messages(stream: ResponseStream): Promise<string[]> {
  const text = await new Response(stream.body).text();
  return [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json]) => String(json));
}

Deno.test("a slow reader gets the oldest notifications and always the response", async () => {
  const stream = new ResponseStream("events", () => {});
  for (let i = 0; i < 1000; i++) stream.notify(`{"progress":${i}}`);
  stream.end(`{"result":{}}`);
  const received = await messages(stream);
  assertEquals(received.length, 17);
  assertEquals([received[0], received.at(-1)], [`{"progress":0}`, `{"result":{}}`]);
});

Deno.test("a JSON stream has the response alone", async () => {
  const stream = new ResponseStream("json", () => {});
  stream.notify(`{"progress":1}`);
  stream.end(`{"result":{}}`);
  assertEquals(await new Response(stream.body).text(), `{"result":{}}`);
});

Deno.test("nothing is sent after the response", async () => {
  let disconnects = 0;
  const stream = new ResponseStream("events", () => disconnects++);
  stream.end(`{"result":{}}`);
  await stream.ended;
  stream.notify(`{"progress":1}`);
  stream.end(`{"result":{"again":true}}`);
  assertEquals(await messages(stream), [`{"result":{}}`]);
  assertEquals(disconnects, 0);
});

Deno.test("a disconnect is reported once, and the stream ends when its request ends", async () => {
  let disconnects = 0;
  let hasEnded = false;
  const stream = new ResponseStream("events", () => disconnects++);
  stream.ended.then(() => hasEnded = true);
  stream.notify(`{"progress":1}`);
  await stream.body.cancel();
  stream.notify(`{"progress":2}`);
  assertEquals(hasEnded, false);
  stream.end(`{"result":{}}`);
  await stream.ended;
  assertEquals([disconnects, hasEnded], [1, true]);
});
