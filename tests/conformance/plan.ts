import { dispositionOf, KNOWN_SCENARIOS } from "./scenarios.ts";
import type { ScenarioRun } from "./run_scenario.ts";
import type { ListedScenario, ProtocolVersion, Suite } from "./suites.ts";

/** A scenario that is not run. */
export interface SkippedScenario {
  readonly suite: Suite;
  readonly protocolVersion: ProtocolVersion;
  readonly scenario: string;
  readonly reason: string;
}

/** Scenarios to run and to skip. */
export interface Plan {
  readonly runs: readonly ScenarioRun[];
  readonly skipped: readonly SkippedScenario[];
  /** Scenarios that are only in our table or only in the suites; each is a failure. */
  readonly problems: readonly string[];
}

/** Compares the scenarios that each suite lists with our table. */
export function makePlan(lists: ReadonlyMap<Suite, readonly ListedScenario[]>): Plan {
  const runs: ScenarioRun[] = [];
  const skipped: SkippedScenario[] = [];
  const problems: string[] = [];
  for (const [suite, listed] of lists) {
    for (const { name: scenario, versions } of listed) {
      const disposition = dispositionOf(scenario);
      if (!disposition) {
        problems.push(`${scenario} (${suite.version}): new; decide whether it applies in scenarios.ts`);
        continue;
      }
      // Scenarios of extensions have no protocol version. They are reported as skipped for the newest one.
      const protocolVersions = versions.length > 0
        ? suite.protocolVersions.filter((protocolVersion) => versions.includes(protocolVersion))
        : suite.protocolVersions.slice(-1);
      for (const protocolVersion of protocolVersions) {
        if ("reason" in disposition) {
          skipped.push({ suite, protocolVersion, scenario, reason: disposition.reason });
        } else {runs.push(
            ...disposition.targets.map((target) => ({ suite, protocolVersion, scenario, target })),
          );}
      }
    }
  }
  const all = new Set([...lists.values()].flat().map(({ name }) => name));
  for (const scenario of KNOWN_SCENARIOS) {
    if (!all.has(scenario)) problems.push(`${scenario}: no suite lists it; remove it from scenarios.ts`);
  }
  return { runs, skipped, problems };
}
