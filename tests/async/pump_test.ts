import { assertEquals } from "@std/assert";
import { delay, Pump } from "../../src/async/mod.ts";

function unexpected(error: unknown): void {
  throw error;
}

Deno.test("Pump: repeats the step until it finds no more work", async () => {
  let left = 3;
  const { promise: empty, resolve } = Promise.withResolvers<void>();
  const pump = new Pump(async () => {
    await Promise.resolve();
    if (--left === 0) resolve();
    return left > 0;
  }, unexpected);
  pump.wake();
  await empty;
  await pump.stop();
  assertEquals(left, 0);
});

Deno.test("Pump: calls of wake during a step cause one more step", async () => {
  const steps: PromiseWithResolvers<boolean>[] = [];
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pump = new Pump(() => {
    const step = Promise.withResolvers<boolean>();
    steps.push(step);
    begun[steps.length - 1]?.resolve();
    return step.promise;
  }, unexpected);
  pump.wake();
  await begun[0]!.promise;
  for (let i = 0; i < 10; i++) pump.wake();
  steps[0]!.resolve(false);
  await begun[1]!.promise;
  steps[1]!.resolve(false);
  await pump.stop();
  assertEquals(steps.length, 2);
});

Deno.test("Pump: wake starts an idle pump again", async () => {
  let steps = 0;
  const pump = new Pump(async () => {
    await Promise.resolve();
    steps++;
    return false;
  }, unexpected);
  for (let i = 1; i <= 3; i++) {
    pump.wake();
    while (steps < i) await Promise.resolve();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  await pump.stop();
  assertEquals(steps, 3);
});

Deno.test("Pump: a step that throws is reported and retried", async () => {
  const errors: unknown[] = [];
  let steps = 0;
  const { promise: recovered, resolve } = Promise.withResolvers<void>();
  const pump = new Pump(async () => {
    await Promise.resolve();
    if (++steps < 3) throw new Error(`failure ${steps}`);
    resolve();
    return false;
  }, (error) => errors.push((error as Error).message));
  pump.wake();
  // The timers of a pump do not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  await recovered;
  clearInterval(alive);
  await pump.stop();
  assertEquals(errors, ["failure 1", "failure 2"]);
});

Deno.test("Pump: stop waits for the current step and starts no further one", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let steps = 0;
  let stopped = false;
  const pump = new Pump(() => {
    steps++;
    return promise;
  }, unexpected);
  pump.wake();
  const stop = pump.stop().then(() => stopped = true);
  await Promise.resolve();
  assertEquals(stopped, false);
  resolve(true);
  await stop;
  pump.wake();
  assertEquals(steps, 1);
});

Deno.test("Pump: stop ends the delay after a failure", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const pump = new Pump(() => Promise.reject(new Error("no luck")), () => resolve());
  pump.wake();
  await failed;
  await pump.stop();
});

Deno.test("delay: resolves when the signal aborts, or is aborted already", async () => {
  await delay(60_000, AbortSignal.abort());
  const controller = new AbortController();
  const delayed = delay(60_000, controller.signal);
  controller.abort();
  await delayed;
});

Deno.test("delay: resolves after the time", async () => {
  // The timer of `delay` does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  await delay(1, new AbortController().signal);
  clearInterval(alive);
});
