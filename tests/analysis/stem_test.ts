import { assert, assertEquals } from "@std/assert";
import { stems } from "../../src/analysis/stem.ts";

Deno.test("stems of words of up to 64 characters are cached", () => {
  const [short, long] = ["x".repeat(64), "x".repeat(65)];
  const once = stems([short, long, long]);
  const again = stems([short, long]);
  assertEquals(once, [[short], [long], [long]]);
  assert(again[0] === once[0], "cached");
  assertEquals(again[1], once[1]);
  assert(again[1] !== once[1], "not cached");
});
