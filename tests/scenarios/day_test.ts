/** An agent's whole day on both placements of the engine, with limits on its costs. */
import { assert } from "@std/assert";
import { silentLogger } from "../../src/telemetry/mod.ts";
import type { TaskCost } from "./day.ts";
import { playDayAt } from "./day_server.ts";

/** Maximum costs of tasks: about a tenth above those measured, so that no change makes answers longer unnoticed. */
const LIMITS: Readonly<Record<string, Pick<TaskCost, "calls" | "tokens">>> = {
  "ingest 99 files": { calls: 198, tokens: 24_500 },
  "store 40 memories": { calls: 40, tokens: 1_060 },
  "answer 23 questions": { calls: 23, tokens: 10_400 },
  "five memories at once": { calls: 1, tokens: 265 },
  "list a folder of 98 pages": { calls: 1, tokens: 2_400 },
  "read the whole manual": { calls: 7, tokens: 81_000 },
  "notice a memory that is there": { calls: 2, tokens: 120 },
  "correct part of a note": { calls: 4, tokens: 350 },
  "meet another agent's change": { calls: 8, tokens: 660 },
};

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`A whole day: every action works and stays within its costs [engine ${placement}]`, async () => {
    const costs = await playDayAt(placement, silentLogger);

    for (const [name, limit] of Object.entries(LIMITS)) {
      const cost = costs.find(({ task }) => task === name);
      assert(cost, name);
      assert(cost.calls <= limit.calls, `${name}: ${cost.calls} calls`);
      assert(cost.tokens <= limit.tokens, `${name}: ${cost.tokens} tokens`);
    }
  });
}
