import { type Harness, openHarness, type Placement } from "./harness.ts";

const PLACEMENTS: readonly Placement[] = ["in process", "over HTTP"];

/**
 * Registers one test per placement of the engine: in this process and behind a socket. Both must behave the
 * same.
 *
 * @param name `Requirement / Scenario: assertion`, in the words of the owner's requirement.
 */
export function scenario(name: string, run: (kb: Harness) => Promise<void>): void {
  for (const placement of PLACEMENTS) {
    Deno.test(`${name} [engine ${placement}]`, async () => {
      await using kb = await openHarness({ placement });
      await run(kb);
    });
  }
}
