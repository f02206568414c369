import type { Verdict } from "./judge.ts";
import type { LeftOut, Plan } from "./plan.ts";
import type { Play } from "./play.ts";

/** The table as text, and its sums. */
export interface Table {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
}

/**
 * Lays out what came of a plan: a line for each scenario × era × suite × server, with what is wrong below it, and the
 * scenarios that were left out after them.
 *
 * @param verdicts In the order of the plan's plays.
 */
export function tabulate({ plays, leftOut, problems }: Plan, verdicts: readonly Verdict[]): Table {
  const lines: string[] = [];
  let passed = 0;
  let warnings = 0;
  for (const [index, verdict] of verdicts.entries()) {
    const what = plays[index] as Play;
    const notes = [`${verdict.checks} checks`, ...partly(verdict)].join("; ");
    lines.push(
      line(what, what.target, `${verdict.outcome}  (${notes})`),
      ...verdict.problems.map((problem) => `    ${problem}`),
    );
    if (verdict.outcome === "pass") passed++;
    warnings += verdict.warnings;
  }
  for (const what of leftOut) lines.push(line(what, "-", `not applicable: ${what.reason}`));
  for (const problem of problems) lines.push(`FAIL  ${problem}`);
  return { lines, passed, failed: verdicts.length - passed + problems.length, warnings };
}

function line({ scenario, era, suite }: Play | LeftOut, server: string, cell: string): string {
  return `${scenario.padEnd(46)} ${era}  ${suite.version.padEnd(15)} ${server.padEnd(8)} ${cell}`;
}

function partly({ exceptions }: Verdict): string[] {
  return exceptions.map((reason) => `in part not applicable: ${reason}`);
}
