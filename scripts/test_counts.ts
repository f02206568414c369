/** How many tests a run of `deno test` passed and failed. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** Reads the summary lines of `deno test` (`ok | 12 passed (3 steps) | 0 failed (1s)`); several add up. */
export function testCounts(output: string): TestCounts {
  const counts = { passed: 0, failed: 0 };
  for (const line of output.matchAll(/^(?:ok|FAILED) \| (\d+) passed[^|]*\| (\d+) failed\b/gm)) {
    counts.passed += Number(line[1]);
    counts.failed += Number(line[2]);
  }
  return counts;
}
