import { type Harness, openHarness, type Placement } from "./harness.ts";

const PLACEMENTS: readonly Placement[] = ["embedded", "over HTTP"];

/**
 * Declares one test per placement of the engine: in this process, and the same engine behind a socket. A scenario
 * cannot tell which it has, which is the point.
 *
 * @param name `Requirement / Scenario: what is asserted`, in the words of the owner's requirement.
 */
export function scenario(name: string, play: (kb: Harness) => Promise<void>): void {
  for (const placement of PLACEMENTS) {
    Deno.test(`${name} [engine ${placement}]`, async () => {
      await using kb = await openHarness({ placement });
      await play(kb);
    });
  }
}
