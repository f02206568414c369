import { assertEquals } from "@std/assert";
import { RecentVectors } from "../../../src/engine/sqlite/recent_vectors.ts";

/** Returns numbers of missing vectors, one per check; the last one repeats. */
function missing(...numbers: number[]) {
  let checks = 0;
  const next = () => numbers[Math.min(checks++, numbers.length - 1)]!;
  return { next, checks: () => checks };
}

Deno.test("a search waits until no vector is missing", async () => {
  const { next, checks } = missing(3, 2, 0);
  await new RecentVectors(next).wait();
  assertEquals(checks(), 3);
});

Deno.test("a search does not wait for a large backlog, nor for one that grows", async () => {
  const large = missing(65);
  await new RecentVectors(large.next).wait();
  const growing = missing(64, 70);
  await new RecentVectors(growing.next).wait();
  assertEquals([large.checks(), growing.checks()], [1, 2]);
});

Deno.test("an aborted search stops waiting", async () => {
  const { next, checks } = missing(1);
  await new RecentVectors(next).wait(AbortSignal.abort());
  assertEquals(checks(), 1);
});
