import { assertEquals } from "@std/assert";
import { serve } from "../../../../src/engine/sqlite/search_threads/thread.ts";
import { killedStore } from "../store/test_store.ts";

/** The key under which `@opentelemetry/api` looks for providers. */
const PROVIDERS = Symbol.for("opentelemetry.js.api.1");

Deno.test("a search whose spans cannot be created succeeds, and the next one tries again", async () => {
  await using dir = await killedStore(1);
  let attempts = 0;
  Object.defineProperty(globalThis, PROVIDERS, {
    configurable: true,
    get() {
      attempts++;
      throw new Error("no providers");
    },
  });
  try {
    const responses: unknown[] = [];
    let send = (_message: unknown) => {};
    const responded: (() => void)[] = [];
    serve({
      post(message) {
        responses.push((message as { type: string }).type);
        responded.shift()?.();
      },
      onMessage: (listener) => send = listener,
    });
    const request = async (message: Record<string, unknown>) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      responded.push(resolve);
      send(message);
      await promise;
    };
    const rankings: SharedArrayBuffer[] = [];
    const settings = { dataDir: dir.path, warmsUp: false, ended: new Int32Array(8), rankings };
    await request({ type: "open", settings });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const input = { slot: 0, operation: "status", input: undefined, vectors: null, traceparent };
    for (const id of [1, 2]) await request({ type: "request", id, input });
    await request({ type: "close" });
    assertEquals(responses, ["ready", "opened", "response", "response", "closed"]);
    assertEquals(attempts, 2);
  } finally {
    Reflect.deleteProperty(globalThis, PROVIDERS);
  }
});
