import { assertEquals } from "@std/assert";
import { Worker as NodeWorker } from "node:worker_threads";
import { nodeWorkerPort, type ThreadPort, webWorkerPort } from "../../src/async/mod.ts";

const WEB = "onmessage = ({ data }) => postMessage(data); postMessage(1); postMessage(2);";
const NODE = `const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (data) => parentPort.postMessage(data));
  parentPort.postMessage(1);
  parentPort.postMessage(2);`;

const PORTS: [kind: string, start: () => ThreadPort][] = [
  ["webWorkerPort", () => webWorkerPort(new Worker(`data:text/javascript,${WEB}`, { type: "module" }))],
  ["nodeWorkerPort", () => nodeWorkerPort(new NodeWorker(NODE, { eval: true }))],
];

for (const [kind, start] of PORTS) {
  Deno.test(`${kind}: messages that arrive before the listener is set are delivered`, async () => {
    for (let i = 0; i < 20; i++) {
      const port = start();
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
}
