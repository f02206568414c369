import { assertEquals } from "@std/assert";
import { FairShare } from "../../src/web/mod.ts";

/** Takes single amounts until one is refused. */
function takeAll(share: FairShare, client: string): number {
  let taken = 0;
  while (share.tryTake(client)) taken++;
  return taken;
}

Deno.test("one client can take seven eighths", () => {
  const share = new FairShare(256);
  assertEquals(takeAll(share, "a"), 224);
  assertEquals(share.free, 32);
});

Deno.test("the last eighth is shared by the clients that hold less than is free", () => {
  const share = new FairShare(256);
  takeAll(share, "a");
  assertEquals([takeAll(share, "b"), takeAll(share, "c"), takeAll(share, "a")], [16, 8, 0]);
});

Deno.test("clients that take all they can leave something to further ones", () => {
  const share = new FairShare(256);
  for (const client of "abcde") takeAll(share, client);
  assertEquals(share.tryTake("f"), true);
});

for (const capacity of [1, 2, 7]) {
  Deno.test(`a capacity of ${capacity} can be taken whole`, () => {
    assertEquals(takeAll(new FairShare(capacity), "a"), capacity);
  });
}

Deno.test("an amount over what is free is refused", () => {
  const share = new FairShare(100);
  assertEquals([share.tryTake("a", 60), share.tryTake("b", 41), share.tryTake("b", 40)], [true, false, true]);
  assertEquals(share.free, 0);
});

Deno.test("released amounts can be taken again", () => {
  const share = new FairShare(16);
  assertEquals(takeAll(share, "a"), 14);
  for (let i = 0; i < 14; i++) share.release("a");
  assertEquals([share.free, takeAll(share, "a")], [16, 14]);
});
