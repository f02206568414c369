import { assert, assertEquals } from "@std/assert";
import { pairedDifference } from "../../src/evaluation/mod.ts";

function assertNear(actual: number, expected: number, tolerance: number): void {
  assert(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

function runs(differences: readonly number[]): [before: Map<string, number>, after: Map<string, number>] {
  const ids = differences.map((_, index) => String(index));
  return [
    new Map(ids.map((id) => [id, 0.5])),
    new Map(ids.map((id, index) => [id, 0.5 + differences[index]!])),
  ];
}

// The exact p value is the share of the 2^n sign assignments with a sum at least as far from 0, counted by hand.
const CASES: [name: string, differences: number[], mean: number, standardError: number, p: number][] = [
  ["no difference", [0, 0, 0], 0, 0, 1],
  ["one query", [0.2], 0.2, 0, 1],
  ["four equal gains", [0.1, 0.1, 0.1, 0.1], 0.1, 0, 2 / 16],
  ["a gain as large as the loss", [0.3, -0.3], 0, 0.3, 1],
  ["two gains and a smaller loss", [0.3, 0.2, -0.1], 0.4 / 3, 0.12019, 4 / 8],
  ["ten equal gains", Array.from({ length: 10 }, () => 0.1), 0.1, 0, 2 / 1024],
];

for (const [name, differences, mean, standardError, p] of CASES) {
  Deno.test(`pairedDifference: ${name}`, () => {
    const difference = pairedDifference(...runs(differences))!;
    assertNear(difference.mean, mean, 1e-9);
    assertNear(difference.standardError, standardError, 1e-5);
    assertNear(difference.p, p, 0.005);
  });
}

Deno.test("pairedDifference: queries of one run only are left out, and wins, losses and ties are counted", () => {
  const before = new Map([["a", 0.1], ["b", 0.5], ["c", 0.3], ["d", 1]]);
  const after = new Map([["b", 0.7], ["c", 0.3], ["d", 0.9], ["e", 1]]);
  const { queries, wins, losses, ties } = pairedDifference(before, after)!;
  assertEquals([queries, wins, losses, ties], [3, 1, 1, 1]);
  assertEquals(pairedDifference(before, new Map([["e", 1]])), undefined);
});

Deno.test("pairedDifference: many queries give the same small p value every time, never 0", () => {
  const [before, after] = runs(Array.from({ length: 5_000 }, (_, index) => index % 10 === 0 ? -0.1 : 0.1));
  const { p } = pairedDifference(before, after)!;
  assert(0 < p && p < 0.001, `${p}`);
  assertEquals(pairedDifference(before, after)!.p, p);
});
