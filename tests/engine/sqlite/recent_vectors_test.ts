import { assertEquals } from "@std/assert";
import { RecentVectors } from "../../../src/engine/sqlite/recent_vectors.ts";

/** Returns numbers of missing vectors, one per check; the last one repeats. */
function numbers(...values: number[]) {
  let checks = 0;
  const next = () => values[Math.min(checks++, values.length - 1)]!;
  return { next, checks: () => checks };
}

const noNotes = () => 0;
const embedded = () => 0;

Deno.test("a search waits until no vector is missing", async () => {
  const { next, checks } = numbers(3, 2, 0);
  await new RecentVectors({ embedded, all: next, recentNotes: noNotes }).wait();
  assertEquals(checks(), 3);
});

Deno.test("a search does not wait for a large backlog, nor for one that grows", async () => {
  const large = numbers(65);
  await new RecentVectors({ embedded, all: large.next, recentNotes: noNotes }).wait();
  const growing = numbers(64, 70);
  await new RecentVectors({ embedded, all: growing.next, recentNotes: noNotes }).wait();
  assertEquals([large.checks(), growing.checks()], [1, 2]);
});

Deno.test("during a large backlog a search waits for recent notes, unless there are many", async () => {
  const few = numbers(2, 1, 0);
  await new RecentVectors({ embedded, all: () => 3000, recentNotes: few.next }).wait();
  const many = numbers(65);
  await new RecentVectors({ embedded, all: () => 3000, recentNotes: many.next }).wait();
  assertEquals([few.checks(), many.checks()], [3, 1]);
});

Deno.test("an aborted search stops waiting", async () => {
  const { next, checks } = numbers(1);
  await new RecentVectors({ embedded, all: next, recentNotes: noNotes }).wait(AbortSignal.abort());
  assertEquals(checks(), 1);
});

Deno.test("notes added during a search do not prolong its wait", async () => {
  let count = 100;
  const { next, checks } = numbers(2);
  const steady = { embedded: () => count, all: next, recentNotes: noNotes };
  const waiting = new RecentVectors(steady).wait();
  count += 2;
  await waiting;
  assertEquals(checks(), 2);
});

Deno.test("vectors of an import do not end the wait for a note", async () => {
  let count = 100;
  const { next, checks } = numbers(2, 1, 0);
  const growing = () => count += 32;
  await new RecentVectors({ embedded: growing, all: () => 3000, recentNotes: next }).wait();
  assertEquals(checks(), 3);
});
