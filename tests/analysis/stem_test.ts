import { assert, assertEquals } from "@std/assert";
import { stems } from "../../src/analysis/stem.ts";

Deno.test("stems of words of up to 64 characters are cached", () => {
  const [short, long] = ["ж".repeat(64), "ж".repeat(65)];
  const once = stems([short, long, long]);
  const again = stems([short, long]);
  assertEquals(once, [[short], [long], [long]]);
  assert(again[0] === once[0], "cached");
  assertEquals(again[1], once[1]);
  assert(again[1] !== once[1], "not cached");
});

Deno.test("a batch has the same stems as its words, with words that are no or several tokens", () => {
  const words = ["жук", "running", "...", "", "foo-bar", "東京", "éa", "кот", "\u{1dfff}", "naïve"];
  assertEquals(stems(words), words.map((word) => stems([word])[0]));
  const many = Array.from({ length: 300 }, (_, n) => `ж${n}ы`);
  assertEquals(stems(many), many.map((word) => [word]));
});
