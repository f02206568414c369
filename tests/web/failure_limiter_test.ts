import { assertEquals } from "@std/assert";
import { FailureLimiter } from "../../src/web/mod.ts";

/** A limiter with a manual clock, in seconds. */
function limiterAt() {
  const clock = { seconds: 1000 };
  const limiter = new FailureLimiter(() => clock.seconds * 1000);
  const fail = (client: string, times: number) =>
    Array.from({ length: times }, () => limiter.record(client)).filter((limited) => limited === undefined)
      .length;
  return { clock, limiter, fail };
}

Deno.test("a client may fail ten times at once, then once every six seconds", () => {
  const { clock, fail } = limiterAt();
  assertEquals(fail("a", 20), 10);
  clock.seconds += 6;
  assertEquals(fail("a", 20), 1);
  clock.seconds += 60;
  assertEquals(fail("a", 20), 10);
});

Deno.test("a limited failure says when to try again, and failures over the limit do not delay it", () => {
  const { clock, fail, limiter } = limiterAt();
  fail("a", 1000);
  clock.seconds += 2.5;
  assertEquals(limiter.record("a")?.retryAfterSeconds, 4);
});

Deno.test("the first limited failure of a series is marked", () => {
  const { clock, fail, limiter } = limiterAt();
  fail("a", 10);
  assertEquals([1, 2, 3].map(() => limiter.record("a")?.isFirst), [true, false, false]);
  clock.seconds += 30;
  fail("a", 5);
  assertEquals(limiter.record("a")?.isFirst, false);
  clock.seconds += 61;
  fail("a", 10);
  assertEquals(limiter.record("a")?.isFirst, true);
});

Deno.test("clients are limited separately, and the number of remembered ones is bounded", () => {
  const { fail } = limiterAt();
  assertEquals([fail("a", 11), fail("b", 11)], [10, 10]);
  for (let i = 0; i < 4095; i++) fail(`other-${i}`, 1);
  assertEquals(fail("b", 1), 0);
  assertEquals(fail("a", 11), 10);
});
