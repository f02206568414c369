import type { Verdict } from "./judge.ts";
import type { Plan, SkippedScenario } from "./plan.ts";
import type { ScenarioRun } from "./run_scenario.ts";

/** A table as text, with its totals. */
export interface Table {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
}

/**
 * Formats the results of a plan: a line for each run, followed by its problems, then the skipped scenarios.
 *
 * @param verdicts In the order of the plan's runs.
 */
export function tabulate({ runs, skipped, problems }: Plan, verdicts: readonly Verdict[]): Table {
  const lines: string[] = [];
  let passed = 0;
  let warnings = 0;
  for (const [index, verdict] of verdicts.entries()) {
    const run = runs[index] as ScenarioRun;
    const notes = [`${verdict.checks} checks`, ...exceptionNotes(verdict)].join("; ");
    lines.push(
      line(run, run.target, `${verdict.outcome}  (${notes})`),
      ...verdict.problems.map((problem) => `    ${problem}`),
    );
    if (verdict.outcome === "pass") passed++;
    warnings += verdict.warnings;
  }
  for (const scenario of skipped) lines.push(line(scenario, "-", `not applicable: ${scenario.reason}`));
  for (const problem of problems) lines.push(`FAIL  ${problem}`);
  return { lines, passed, failed: verdicts.length - passed + problems.length, warnings };
}

function line(
  { scenario, protocolVersion, suite }: ScenarioRun | SkippedScenario,
  server: string,
  cell: string,
): string {
  return `${scenario.padEnd(46)} ${protocolVersion}  ${suite.version.padEnd(15)} ${server.padEnd(8)} ${cell}`;
}

function exceptionNotes({ exceptions }: Verdict): string[] {
  return exceptions.map((reason) => `partly not applicable: ${reason}`);
}
