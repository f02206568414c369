import { assertEquals } from "@std/assert";
import { SharedTimer } from "../../src/http/shared_timer.ts";

Deno.test("a timeout fires once its duration has passed, unless it was cancelled", () => {
  let now = 0;
  using timer = new SharedTimer(100, () => now);
  const fired: string[] = [];
  const start = (name: string) => timer.start(() => fired.push(name));
  const sweepAt = (ms: number) => {
    now = ms;
    timer.sweep();
    return fired.join();
  };
  const cancelFirst = start("first");
  now = 50;
  const cancelSecond = start("second");
  start("third");
  const cancelFourth = start("fourth");
  assertEquals(sweepAt(99), "");
  assertEquals(sweepAt(100), "first");
  cancelSecond();
  cancelSecond();
  cancelFourth();
  cancelFirst(); // has fired
  assertEquals(sweepAt(1000), "first,third");
  start("fifth");
  assertEquals(sweepAt(1099), "first,third");
  assertEquals(sweepAt(1100), "first,third,fifth");
});

Deno.test("timeouts fire without a sweep from outside", async () => {
  using timer = new SharedTimer(4);
  const keepAlive = setTimeout(() => {}, 10_000); // the shared timer itself does not keep the process alive
  await new Promise<void>((resolve) => timer.start(resolve));
  clearTimeout(keepAlive);
});
