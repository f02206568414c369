import { assertEquals } from "@std/assert";
import { countTests } from "../../scripts/ok.ts";

const CASES: [name: string, output: string, passed: number, failed: number][] = [
  ["a green run", "\nok | 12 passed | 0 failed (1s)\n", 12, 0],
  ["a red run", "\nFAILED | 24 passed | 1 failed (1s)\n\nerror: Test failed\n", 24, 1],
  ["tests with steps", "\nok | 3 passed (14 steps) | 0 failed (20ms)\n", 3, 0],
  [
    "ignored and filtered tests",
    "\nFAILED | 3 passed (1 step) | 2 failed (4 steps) | 1 ignored | 9 filtered out (2s)\n",
    3,
    2,
  ],
  ["several runs", "ok | 1 passed | 0 failed (1s)\nok | 2 passed | 0 failed (1s)\n", 3, 0],
  ["a run that crashed", "error: Type checking failed.\n", 0, 0],
  ["test output that resembles a summary in the middle of a line", "x ok | 9 passed | 0 failed\n", 0, 0],
];

for (const [name, output, passed, failed] of CASES) {
  Deno.test(`countTests reads the summary of ${name}`, () => {
    assertEquals(countTests(output), { passed, failed });
  });
}
