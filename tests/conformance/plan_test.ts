import { assert, assertEquals } from "@std/assert";
import { makePlan } from "./plan.ts";
import { KNOWN_SCENARIOS } from "./scenarios.ts";
import { type ListedScenario, parseList, type Suite } from "./suites.ts";

const suite: Suite = { version: "9.9.9", protocolVersions: ["2025-11-25", "2026-07-28"] };
const all: ListedScenario[] = KNOWN_SCENARIOS.map((name) => ({
  name,
  versions: ["2025-06-18", "2025-11-25", "2026-07-28"],
}));

Deno.test("every listed scenario is run or skipped with a reason, for each of its protocol versions", () => {
  const { runs, skipped, problems } = makePlan(new Map([[suite, all]]));
  const covered = new Set(
    [...runs, ...skipped].map(({ scenario, protocolVersion }) => `${scenario} ${protocolVersion}`),
  );
  assertEquals(covered.size, 2 * KNOWN_SCENARIOS.length);
  assert(skipped.every(({ reason }) => reason.length > 20));
  assertEquals(problems, []);
});

Deno.test("a scenario is only run for the protocol versions that the suite lists", () => {
  const only2026 = all.map((listed) =>
    listed.name === "ping" ? { ...listed, versions: ["2026-07-28"] } : listed
  );
  const { runs } = makePlan(new Map([[suite, only2026]]));
  assertEquals(
    runs.filter(({ scenario }) => scenario === "ping").map(({ protocolVersion }) => protocolVersion),
    ["2026-07-28"],
  );
});

Deno.test("a scenario that is only in the suite or only in our table is a problem", () => {
  const [, ...rest] = all;
  const { problems } = makePlan(
    new Map([[suite, [...rest, { name: "brand-new", versions: ["2026-07-28"] }]]]),
  );
  assertEquals(problems.map((problem) => problem.split(/[ :]/)[0]), ["brand-new", all[0]?.name]);
});

Deno.test("the suite's list is parsed with protocol versions and extensions", () => {
  const output = "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n" +
    "  - tasks-lifecycle [extension]\n";
  assertEquals(parseList(output), [
    { name: "ping", versions: ["2025-06-18", "2025-11-25"] },
    { name: "tasks-lifecycle", versions: [] },
  ]);
});
