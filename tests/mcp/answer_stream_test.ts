import { assertEquals } from "@std/assert";
import { AnswerStream } from "../../src/mcp/mod.ts";

/** The JSON texts of a stream that has ended. */
async function messages(stream: AnswerStream): Promise<string[]> {
  const text = await new Response(stream.body).text();
  return [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json]) => String(json));
}

Deno.test("a client that is slow to read gets the oldest notifications, and the response in any case", async () => {
  const stream = new AnswerStream("events", () => {});
  for (let i = 0; i < 1000; i++) stream.notify(`{"progress":${i}}`);
  stream.end(`{"result":{}}`);
  const received = await messages(stream);
  assertEquals(received.length, 17);
  assertEquals([received[0], received.at(-1)], [`{"progress":0}`, `{"result":{}}`]);
});

Deno.test("an answer in JSON is the response alone", async () => {
  const stream = new AnswerStream("json", () => {});
  stream.notify(`{"progress":1}`);
  stream.end(`{"result":{}}`);
  assertEquals(await new Response(stream.body).text(), `{"result":{}}`);
});

Deno.test("a stream has ended when its response was sent, and says nothing after it", async () => {
  let disconnected = 0;
  const stream = new AnswerStream("events", () => disconnected++);
  stream.end(`{"result":{}}`);
  await stream.ended;
  stream.notify(`{"progress":1}`);
  stream.end(`{"result":{"again":true}}`);
  assertEquals(await messages(stream), [`{"result":{}}`]);
  assertEquals(disconnected, 0);
});

Deno.test("a client that goes away is told of once, what is sent later is dropped, and the request ends when it ends", async () => {
  let disconnected = 0;
  let ended = false;
  const stream = new AnswerStream("events", () => disconnected++);
  stream.ended.then(() => ended = true);
  stream.notify(`{"progress":1}`);
  await stream.body.cancel();
  stream.notify(`{"progress":2}`);
  assertEquals(ended, false);
  stream.end(`{"result":{}}`);
  await stream.ended;
  assertEquals([disconnected, ended], [1, true]);
});
