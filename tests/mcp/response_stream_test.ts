import { assert, assertEquals } from "@std/assert";
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

Deno.test("a large response arrives whole, without splitting a character", async () => {
  for (const kind of ["json", "events"] as const) {
    const stream = new ResponseStream(kind, () => {});
    const json = JSON.stringify(`x${"😀".repeat(500_000)}`);
    stream.end(json);
    if (kind === "events") assertEquals(await messages(stream), [json]);
    else assertEquals(await new Response(stream.body).text(), json);
    await stream.ended;
  }
});

for (const end of ["reads the rest", "disconnects"] as const) {
  Deno.test(`a large response ends when its client ${end}, not before`, async () => {
    const stream = new ResponseStream("json", () => {});
    let hasEnded = false;
    stream.ended.then(() => hasEnded = true);
    stream.end(JSON.stringify("x".repeat(5_000_000)));
    const reader = stream.body.getReader();
    let received = 0;
    for (let i = 0; i < 3; i++) received += (await reader.read()).value?.byteLength ?? 0;
    assert(received < 1_000_000, String(received));
    assertEquals(hasEnded, false);
    if (end === "disconnects") await reader.cancel();
    else while (!(await reader.read()).done);
    await stream.ended;
  });
}

Deno.test("a response arrives once at a client that waits for it", async () => {
  for (const size of [10, 1_000_000]) {
    const stream = new ResponseStream("json", () => {});
    const received = new Response(stream.body).text();
    await new Promise((resolve) => setTimeout(resolve));
    const json = JSON.stringify("x".repeat(size));
    stream.end(json);
    assertEquals(await received === json, true);
  }
});
