import { assertEquals } from "@std/assert";
import { pause, Pump } from "../../src/async/pump.ts";

function unexpected(error: unknown): void {
  throw error;
}

Deno.test("Pump: runs the step until it finds nothing more to do", async () => {
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

Deno.test("Pump: wakes during a step come to one more step", async () => {
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

Deno.test("Pump: a wake after it came to rest starts it again", async () => {
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

Deno.test("Pump: a step that throws is reported and tried again", async () => {
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
  // The pump's own timers keep no process alive.
  const alive = setInterval(() => {}, 1000);
  await recovered;
  clearInterval(alive);
  await pump.stop();
  assertEquals(errors, ["failure 1", "failure 2"]);
});

Deno.test("Pump: stop waits for the step in progress and starts no further one", async () => {
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

Deno.test("Pump: stop cuts a pause after a failure short", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const pump = new Pump(() => Promise.reject(new Error("no luck")), () => resolve());
  pump.wake();
  await failed;
  await pump.stop();
});

Deno.test("pause: ends at once when the signal is aborted already", async () => {
  await pause(60_000, AbortSignal.abort());
});
