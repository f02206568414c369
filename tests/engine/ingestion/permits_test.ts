import { assertEquals, assertRejects } from "@std/assert";
import { Permits } from "../../../src/engine/ingestion/permits.ts";

Deno.test("Permits: are given in the order of the requests", async () => {
  const permits = new Permits(() => 1);
  await permits.take();
  const given: string[] = [];
  const waiting = ["a", "b", "c"].map(async (name) => {
    await permits.take();
    given.push(name);
    permits.release();
  });
  assertEquals(permits.tryTake(), false);
  permits.release();
  await Promise.all(waiting);
  assertEquals(given, ["a", "b", "c"]);
  assertEquals(permits.tryTake(), true);
});

Deno.test("Permits: an aborted request takes none", async () => {
  const permits = new Permits(() => 1);
  await permits.take();
  const controller = new AbortController();
  const aborted = permits.take(controller.signal);
  const next = permits.take();
  controller.abort(new Error("stopped"));
  await assertRejects(() => aborted, Error, "stopped");
  permits.release();
  await next;
  assertEquals(permits.tryTake(), false);
});

Deno.test("Permits: a larger maximum gives permits to those who wait", async () => {
  let max = 0;
  const permits = new Permits(() => max);
  const first = permits.take();
  max = 1;
  permits.update();
  await first;
  assertEquals(permits.tryTake(), false);
});
