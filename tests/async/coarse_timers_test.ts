import { assertEquals } from "@std/assert";
import { CoarseTimers } from "../../src/async/mod.ts";

Deno.test("coarse timers: exact and coarse ones end, each once, in the order of their times", async () => {
  using timers = new CoarseTimers({ tickMs: 5, exactMs: 1 });
  const ended: number[] = [];
  await new Promise<void>((resolve) => {
    timers.start(() => (ended.push(60), resolve()), 60);
    for (const ms of [20, 1]) timers.start(() => ended.push(ms), ms);
    timers.start(() => ended.push(10), 10)();
  });
  assertEquals(ended, [1, 20, 60]);
});

Deno.test("coarse timers: those of a disposed set never end", async () => {
  const timers = new CoarseTimers({ tickMs: 1, exactMs: 1 });
  const ended: number[] = [];
  for (const ms of [1, 5]) timers.start(() => ended.push(ms), ms);
  timers[Symbol.dispose]();
  timers.start(() => ended.push(0), 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(ended, []);
});
