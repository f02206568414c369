import { assertEquals } from "@std/assert";
import { SharedTimer } from "../../src/http/shared_timer.ts";

Deno.test("a timeout fires once its duration has passed, unless it was cancelled", () => {
  // Its interval timer does not fire during the test.
  using timer = new SharedTimer(1e9);
  const fired: string[] = [];
  const start = (name: string) => timer.start(() => fired.push(name));
  const sweep = (times: number) => {
    for (let i = 0; i < times; i++) timer.sweep();
    return fired.join();
  };
  const cancelFirst = start("first");
  sweep(2);
  const cancelSecond = start("second");
  start("third");
  const cancelFourth = start("fourth");
  // The first sweep may follow at once, the other four take the whole duration.
  assertEquals(sweep(2), "");
  assertEquals(sweep(1), "first");
  cancelSecond();
  cancelSecond();
  cancelFourth();
  cancelFirst(); // has fired
  assertEquals(sweep(1), "first");
  assertEquals(sweep(1), "first,third");
  start("fifth");
  assertEquals(sweep(4), "first,third");
  assertEquals(sweep(1), "first,third,fifth");
});

Deno.test("timeouts fire without a sweep from outside", async () => {
  using timer = new SharedTimer(4);
  const keepAlive = setTimeout(() => {}, 10_000); // the shared timer itself does not keep the process alive
  await new Promise<void>((resolve) => timer.start(resolve));
  clearTimeout(keepAlive);
});
