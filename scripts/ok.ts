/**
 * `deno task ok`: the whole gate. Every step runs even after a failure, so that one run reports all problems. The last
 * line counts tests; a step that runs no tests counts as one.
 *
 * @module
 */
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether the step runs tests, which are then counted individually. */
  readonly runsTests?: true;
}

/** Number of steps that run at the same time. TypeScript's checker uses one processor, and CI runners have two. */
const CONCURRENCY = 2;

const STEPS: readonly Step[] = [
  // First, since it takes longest except for the tests. Frozen: an outdated deno.lock is an error here, not something to
  // fix on the fly. With the examples in documentation.
  {
    name: "types",
    command: ["deno", "check", "--doc", "--frozen", "main.ts", "src", "tests", "scripts", "examples"],
  },
  { name: "format", command: ["deno", "fmt", "--check"] },
  { name: "lint", command: ["deno", "lint"] },
  {
    name: "types of the page",
    // Scripts of a browser, with types in comments and another library.
    command: ["deno", "check", "--config", "scripts/page_types.json", "src/page/client/main.js"],
  },
  { name: "doc lint", command: ["deno", "run", "-A", "scripts/doc_lint.ts"] },
  {
    name: "doc examples",
    // Types are checked above. Modules load faster with a larger young generation; the task of the tests has the same.
    command: [
      "deno",
      "test",
      "--doc",
      "--no-check",
      "-A",
      "--v8-flags=--min-semi-space-size=8",
      "--parallel",
      "--reporter=dot",
      "src",
    ],
    runsTests: true,
  },
  {
    name: "tests",
    command: ["deno", "task", "--quiet", "test", "--reporter=dot"],
    runsTests: true,
  },
];

/** Number of tests that a run of `deno test` passed and failed. */
export interface TestCounts {
  passed: number;
  failed: number;
}

/** Adds up the summary lines of `deno test`, such as `ok | 12 passed (3 steps) | 0 failed (1s)`. */
export function countTests(output: string): TestCounts {
  const counts = { passed: 0, failed: 0 };
  for (const line of output.matchAll(/^(?:ok|FAILED) \| (\d+) passed[^|]*\| (\d+) failed\b/gm)) {
    counts.passed += Number(line[1]);
    counts.failed += Number(line[2]);
  }
  return counts;
}

/** Runs one step and prints its result, with its output if it failed. */
async function runStep({ name, command, runsTests }: Step): Promise<TestCounts> {
  const { code, output, seconds } = await runCommand(command);
  const counts = runsTests ? countTests(output) : { passed: Number(code === 0), failed: Number(code !== 0) };
  // A run that crashed before its summary, or found no tests, has failed.
  const hasFailed = code !== 0 || counts.passed + counts.failed === 0;
  if (hasFailed) {
    counts.failed = Math.max(counts.failed, 1);
    print(output.replaceAll(/^\.\n/gm, ""));
  }
  const detail = runsTests ? `, ${counts.passed} passed, ${counts.failed} failed` : "";
  print(`${hasFailed ? "FAILED" : "ok"}  ${name}  (${seconds.toFixed(1)} s${detail})`);
  return counts;
}

if (import.meta.main) {
  const total: TestCounts = { passed: 0, failed: 0 };
  const failedSteps: string[] = [];
  const queue = STEPS.values();
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const step of queue) {
      const { passed, failed } = await runStep(step);
      total.passed += passed;
      total.failed += failed;
      if (failed > 0) failedSteps.push(step.name);
    }
  }));
  if (failedSteps.length > 0) print(`Failed: ${failedSteps.join(", ")}`);
  print(`${total.passed} passed, ${total.failed} failed`);
  Deno.exit(failedSteps.length > 0 ? 1 : 0);
}
