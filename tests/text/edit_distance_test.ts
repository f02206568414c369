import { assert, assertEquals } from "@std/assert";
import { editDistance } from "../../src/text/edit_distance.ts";
import { seededRandom } from "../support/random.ts";

const DISTANCES: [a: string, b: string, distance: number][] = [
  ["", "", 0],
  ["", "abc", 3],
  ["memory", "memory", 0],
  ["memeory", "memory", 1], // insertion
  ["memry", "memory", 1], // deletion
  ["mrmory", "memory", 1], // substitution
  ["memroy", "memory", 1], // transposition
  ["ca", "abc", 3], // no substring is edited twice
  ["kitten", "sitting", 3],
];
for (const [a, b, distance] of DISTANCES) {
  Deno.test(`the edit distance of "${a}" and "${b}" is ${distance}, in both directions`, () => {
    assertEquals(editDistance([...a], [...b], 5), distance);
    assertEquals(editDistance([...b], [...a], 5), distance);
  });
}

Deno.test("a distance above the limit is reported as above the limit", () => {
  assert(editDistance([..."kitten"], [..."sitting"], 2) > 2);
  assert(editDistance([..."a"], [..."a".repeat(100_000)], 3) > 3);
});

Deno.test("the limit changes no distance up to it", () => {
  const { int, pick } = seededRandom(4);
  const word = () => Array.from({ length: int(8) }, () => pick([..."abc"]));
  for (let round = 0; round < 3000; round++) {
    const [a, b] = [word(), word()];
    const distance = editDistance(a, b, 9);
    for (const limit of [0, 1, 2, 3]) {
      const limited = editDistance(a, b, limit);
      assertEquals(Math.min(limited, limit + 1), Math.min(distance, limit + 1), `${a}, ${b}, ${limit}`);
    }
  }
});

Deno.test("a character outside the Basic Multilingual Plane is one edit", () => {
  assertEquals(editDistance([..."💡a"], [..."💡b"], 5), 1);
  assertEquals(editDistance([..."été"], [..."ete"], 5), 2);
});
