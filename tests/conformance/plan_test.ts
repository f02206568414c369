import { assert, assertEquals } from "@std/assert";
import { makePlan } from "./plan.ts";
import { KNOWN_SCENARIOS } from "./scenarios.ts";
import { type ListedScenario, parseList, type Suite } from "./suites.ts";

const suite: Suite = { version: "9.9.9", eras: ["2025-11-25", "2026-07-28"] };
const all: ListedScenario[] = KNOWN_SCENARIOS.map((name) => ({
  name,
  revisions: ["2025-06-18", "2025-11-25", "2026-07-28"],
}));

Deno.test("every scenario that a suite lists is played or left out with a reason, in every era that it has", () => {
  const { plays, leftOut, problems } = makePlan(new Map([[suite, all]]));
  const covered = new Set([...plays, ...leftOut].map(({ scenario, era }) => `${scenario} ${era}`));
  assertEquals(covered.size, 2 * KNOWN_SCENARIOS.length);
  assert(leftOut.every(({ reason }) => reason.length > 20));
  assertEquals(problems, []);
});

Deno.test("a scenario is played only in the eras that the suite lists it for", () => {
  const only2026 = all.map((listed) =>
    listed.name === "ping" ? { ...listed, revisions: ["2026-07-28"] } : listed
  );
  const { plays } = makePlan(new Map([[suite, only2026]]));
  assertEquals(plays.filter(({ scenario }) => scenario === "ping").map(({ era }) => era), ["2026-07-28"]);
});

Deno.test("a scenario that only the suite knows, or only we, is a problem", () => {
  const [, ...rest] = all;
  const { problems } = makePlan(
    new Map([[suite, [...rest, { name: "brand-new", revisions: ["2026-07-28"] }]]]),
  );
  assertEquals(problems.map((problem) => problem.split(/[ :]/)[0]), ["brand-new", all[0]?.name]);
});

Deno.test("the suite's list is read with revisions and extensions", () => {
  const output = "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n" +
    "  - tasks-lifecycle [extension]\n";
  assertEquals(parseList(output), [
    { name: "ping", revisions: ["2025-06-18", "2025-11-25"] },
    { name: "tasks-lifecycle", revisions: [] },
  ]);
});
