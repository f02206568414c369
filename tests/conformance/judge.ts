/** A check as the suite writes it to `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** What came of a scenario. */
export interface Verdict {
  readonly outcome: "pass" | "FAIL";
  /** How many of the scenario's own checks succeeded. */
  readonly checks: number;
  /** How many checks found a SHOULD that is not kept. */
  readonly warnings: number;
  /** What is wrong; empty for a pass. */
  readonly problems: readonly string[];
  /** Reasons of the exceptions that were made. */
  readonly exceptions: readonly string[];
}

/** Made beside any scenario, whatever it found: that each message has the form that its schema asks for. */
const OF_THE_SUITE = /^wire-schema-/;

/** Why a check need not hold, by its id. */
export type Excused = ReadonlyMap<string, string>;

/**
 * Reads `checks.json`.
 *
 * @throws {TypeError} When it is not what the suite writes.
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
 * Decides whether a scenario was passed: no check failed or warned but for exceptions, every exception was needed,
 * something succeeded (a scenario that found nothing to look at is no pass), and the suite ended as its checks say. A
 * warning is a SHOULD that is not kept; the suite lets it pass, we do not.
 *
 * @param code Exit status of the suite: 1 when it counted a failure.
 */
export function judge(checks: readonly Check[], code: number, excused: Excused): Verdict {
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status);
  const failures = of("FAILURE");
  const warnings = of("WARNING");
  const unmet = [...failures, ...warnings];
  const problems = unmet.filter(({ id }) => !excused.has(id)).map(describe);
  for (const id of excused.keys()) {
    if (!unmet.some((check) => check.id === id)) {
      problems.push(`${id}: excused, but it did not fail; take it out of the exceptions`);
    }
  }
  const succeeded = of("SUCCESS").filter(({ id }) => !OF_THE_SUITE.test(id)).length;
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
