import { delay } from "../../src/async/mod.ts";

Deno.test("delay resolves after its time", async () => {
  await delay(1, undefined, { ref: true });
  await delay(1, new AbortController().signal, { ref: true });
});

Deno.test("delay resolves as soon as its signal aborts, and leaves no timer", async () => {
  await delay(2 ** 30, AbortSignal.abort());
  const controller = new AbortController();
  const waiting = delay(2 ** 30, controller.signal, { ref: true });
  controller.abort();
  await waiting;
});
