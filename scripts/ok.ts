/**
 * The whole gate: `deno task ok`. Every step runs, also after one has failed, so that one run tells everything that is
 * wrong; the last line counts tests, with each step that is no test counting as one.
 *
 * @module
 */
import { print } from "./print.ts";
import { run } from "./run.ts";
import { testCounts } from "./test_counts.ts";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether the step runs tests, which are then counted one by one. */
  readonly tests?: true;
}

const steps: readonly Step[] = [
  { name: "format", command: ["deno", "fmt", "--check"] },
  { name: "lint", command: ["deno", "lint"] },
  // Frozen: a lock file that lacks a package, or has another, is a fault and not a thing to mend on the way.
  { name: "types", command: ["deno", "check", "--frozen", "main.ts", "src", "tests", "scripts"] },
  { name: "doc lint", command: ["deno", "run", "-A", "scripts/doc_lint.ts"] },
  {
    name: "doc examples",
    command: ["deno", "test", "--doc", "-A", "--parallel", "--reporter=dot", "src"],
    tests: true,
  },
  // Types were checked above.
  {
    name: "tests",
    command: ["deno", "task", "--quiet", "test", "--no-check", "--reporter=dot"],
    tests: true,
  },
];

const started = performance.now();
let passed = 0;
let failed = 0;
const failures: string[] = [];
for (const { name, command, tests } of steps) {
  const result = await run(command);
  const counts = tests
    ? testCounts(result.output)
    : { passed: Number(result.code === 0), failed: Number(result.code !== 0) };
  // A run that broke off before it counted, or that found nothing to run, has failed whatever it printed.
  const broken = result.code !== 0 || counts.passed + counts.failed === 0;
  passed += counts.passed;
  failed += broken ? Math.max(counts.failed, 1) : counts.failed;
  if (broken) failures.push(name);
  // The dots of tests that passed say nothing here.
  if (broken) print(result.output.replaceAll(/^\.\n/gm, ""));
  const count = tests ? `, ${counts.passed} passed, ${counts.failed} failed` : "";
  print(`${broken ? "FAILED" : "ok"}  ${name}  (${result.seconds.toFixed(1)} s${count})`);
}
print(`${((performance.now() - started) / 1000).toFixed(0)} s in all`);
if (failures.length > 0) print(`Failed: ${failures.join(", ")}`);
print(`${passed} passed, ${failed} failed`);
Deno.exit(failures.length > 0 ? 1 : 0);
