import { assertEquals, assertRejects } from "@std/assert";
import { mapConcurrent } from "../../src/async/mod.ts";

Deno.test("at most `limit` items are mapped at a time, and results keep their order", async () => {
  let [active, maximum] = [0, 0];
  const gates = [3, 1, 2, 0].map((value) => ({ value, ...Promise.withResolvers<void>() }));
  const done = mapConcurrent(gates, { limit: 2 }, async ({ value, promise }) => {
    maximum = Math.max(maximum, ++active);
    await promise;
    active--;
    return value;
  });
  for (const { resolve } of gates.toReversed()) resolve();
  assertEquals(await done, [3, 1, 2, 0]);
  assertEquals(maximum, 2);
});

Deno.test("the first error ends the work, after the items in progress", async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const work = mapConcurrent([0, 1, 2], { limit: 2 }, async (n) => {
    started.push(n);
    await Promise.resolve();
    if (n === 0) throw new Error("first");
    await Promise.resolve();
    ended.push(n);
  });
  await assertRejects(() => work, Error, "first");
  assertEquals({ started, ended }, { started: [0, 1], ended: [1] });
});

Deno.test("an abort starts no further item, and rejects with its reason", async () => {
  const controller = new AbortController();
  const started: number[] = [];
  const work = mapConcurrent([0, 1], { limit: 1, signal: controller.signal }, async (n) => {
    started.push(n);
    controller.abort(new Error("stopped"));
    await Promise.resolve();
  });
  await assertRejects(() => work, Error, "stopped");
  assertEquals(started, [0]);
});
