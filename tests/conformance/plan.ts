import { dispositionOf, KNOWN_SCENARIOS } from "./scenarios.ts";
import type { Play } from "./play.ts";
import type { Era, ListedScenario, Suite } from "./suites.ts";

/** A scenario that a suite knows and we leave out. */
export interface LeftOut {
  readonly suite: Suite;
  readonly era: Era;
  readonly scenario: string;
  readonly reason: string;
}

/** What is to be done. */
export interface Plan {
  readonly plays: readonly Play[];
  readonly leftOut: readonly LeftOut[];
  /** Scenarios that only one side knows; each is a failure. */
  readonly problems: readonly string[];
}

/**
 * Lays the suites' lists and our table side by side.
 *
 * @param lists What each suite lists.
 */
export function makePlan(lists: ReadonlyMap<Suite, readonly ListedScenario[]>): Plan {
  const plays: Play[] = [];
  const leftOut: LeftOut[] = [];
  const problems: string[] = [];
  for (const [suite, listed] of lists) {
    for (const { name: scenario, revisions } of listed) {
      const disposition = dispositionOf(scenario);
      if (!disposition) {
        problems.push(`${scenario} (${suite.version}): new; decide whether it applies in scenarios.ts`);
        continue;
      }
      // A scenario of an extension belongs to no revision; it is left out in the newest era that the suite has.
      const eras = revisions.length > 0
        ? suite.eras.filter((era) => revisions.includes(era))
        : suite.eras.slice(-1);
      for (const era of eras) {
        if ("reason" in disposition) leftOut.push({ suite, era, scenario, reason: disposition.reason });
        else plays.push(...disposition.targets.map((target) => ({ suite, era, scenario, target })));
      }
    }
  }
  const all = new Set([...lists.values()].flat().map(({ name }) => name));
  for (const scenario of KNOWN_SCENARIOS) {
    if (!all.has(scenario)) problems.push(`${scenario}: no suite knows it; take it out of scenarios.ts`);
  }
  return { plays, leftOut, problems };
}
