/** A check in `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** Result of a scenario. */
export interface Verdict {
  readonly outcome: "pass" | "FAIL";
  /** Number of the scenario's own checks that succeeded. */
  readonly checks: number;
  /** Number of checks that found a violated SHOULD. */
  readonly warnings: number;
  /** Reasons for a failure; empty for a pass. */
  readonly problems: readonly string[];
  /** Reasons of the exceptions that applied. */
  readonly exceptions: readonly string[];
}

/** Checks that the suite adds to every scenario: messages must match their schema. */
const GENERAL_CHECK = /^wire-schema-/;

/** Reasons why checks may fail, by check id. */
export type Excused = ReadonlyMap<string, string>;

/**
 * Parses `checks.json`.
 *
 * @throws {TypeError} When it is not a list of checks.
 */
export function parseChecks(json: string): Check[] {
  const checks: unknown = JSON.parse(json);
  if (!Array.isArray(checks) || !checks.every(isCheck)) {
    throw new TypeError("Cannot read the suite's results: checks.json must be a list of checks");
  }
  return checks;
}

function isCheck(value: unknown): value is Check {
  const { id, status } = (value ?? {}) as Partial<Check>;
  return typeof id === "string" &&
    ["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"].includes(status as string);
}

/**
 * Decides whether a scenario passed: no check failed or warned except for exceptions, every exception was
 * needed, at least one check succeeded, and the exit status matches the checks. A warning is a violated
 * SHOULD; it fails the scenario here, unlike in the suite.
 *
 * @param code Exit status of the suite: 1 after a failure.
 */
export function judge(checks: readonly Check[], code: number, excused: Excused): Verdict {
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status);
  const failures = of("FAILURE");
  const warnings = of("WARNING");
  const unmet = [...failures, ...warnings];
  const problems = unmet.filter(({ id }) => !excused.has(id)).map(describe);
  for (const id of excused.keys()) {
    if (!unmet.some((check) => check.id === id)) {
      problems.push(`${id}: excused, but it did not fail; remove it from the exceptions`);
    }
  }
  const succeeded = of("SUCCESS").filter(({ id }) => !GENERAL_CHECK.test(id)).length;
  if (succeeded === 0) problems.push("no check succeeded");
  const expected = failures.length > 0 ? 1 : 0;
  if (code !== expected) {
    problems.push(`the suite ended with status ${code} after ${failures.length} failed checks`);
  }
  return {
    outcome: problems.length === 0 ? "pass" : "FAIL",
    checks: succeeded,
    warnings: warnings.length,
    problems,
    exceptions: problems.length === 0 ? [...new Set(excused.values())] : [],
  };
}

function describe({ id, status, errorMessage = "" }: Check): string {
  return `${status} ${id}: ${errorMessage}`;
}
