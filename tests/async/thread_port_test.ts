import { assertEquals } from "@std/assert";
import { webWorkerPort } from "../../src/async/mod.ts";

Deno.test("webWorkerPort: messages that arrive before the listener is set are delivered", async () => {
  const url =
    "data:text/javascript,onmessage = ({ data }) => postMessage(data); postMessage(1); postMessage(2)";
  for (let i = 0; i < 50; i++) {
    const port = webWorkerPort(new Worker(url, { type: "module" }));
    // A lost message would leave the test without an end.
    await Promise.resolve();
    const echoed = Promise.withResolvers<void>();
    const messages: unknown[] = [];
    port.onMessage((message) => messages.push(message) === 3 && echoed.resolve());
    port.post(3);
    await echoed.promise;
    assertEquals(messages, [1, 2, 3]);
    await port.terminate();
  }
});
