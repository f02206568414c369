import { assertEquals } from "@std/assert";
import { webWorkerPort } from "../../src/async/mod.ts";

const WEB = "onmessage = ({ data }) => postMessage(data); postMessage(1); postMessage(2);";

Deno.test("webWorkerPort: messages that arrive before the listener is set are delivered", async () => {
  for (let i = 0; i < 20; i++) {
    const port = webWorkerPort(new Worker(`data:text/javascript,${WEB}`, { type: "module" }));
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
