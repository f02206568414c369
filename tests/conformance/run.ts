/**
 * `deno task conformance`: the official conformance suite against the program as it is started from the command line,
 * and against the same code with the suite's own tools, resources and prompts. Prints a table of scenario × era ×
 * suite, and ends with `N passed, N failed`.
 *
 * @module
 */
import { print } from "../../scripts/print.ts";
import { startFixture } from "./fixture.ts";
import type { Verdict } from "./judge.ts";
import { makePlan, type Plan } from "./plan.ts";
import { play } from "./play.ts";
import type { Target } from "./scenarios.ts";
import { startProduct } from "../support/product.ts";
import { type ListedScenario, listScenarios, type Suite, SUITES } from "./suites.ts";
import { tabulate } from "./table.ts";

/** As many as the smallest machine that runs this has cores. */
const CONCURRENCY = 2;

async function lists(): Promise<ReadonlyMap<Suite, readonly ListedScenario[]>> {
  const lists = new Map<Suite, readonly ListedScenario[]>();
  // One after the other: each may have to be fetched first.
  for (const suite of SUITES) lists.set(suite, await listScenarios(suite));
  return lists;
}

/** Plays all of a plan; the verdicts are in its order. */
async function playAll({ plays }: Plan, directory: string): Promise<Verdict[]> {
  await using product = await startProduct(directory);
  await using fixture = await startFixture();
  const urls: Record<Target, string> = { product: `${product.url}/mcp`, fixture: `${fixture.url}/mcp` };
  const verdicts: Verdict[] = [];
  const waiting = plays.entries();
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const [index, what] of waiting) verdicts[index] = await play(what, urls[what.target], directory);
  }));
  return verdicts;
}

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-conformance-" });
try {
  const plan = makePlan(await lists());
  const { lines, passed, failed, warnings } = tabulate(plan, await playAll(plan, directory));
  for (const line of lines) print(line);
  print(`${plan.leftOut.length} not applicable, ${warnings} warnings`);
  print(`${passed} passed, ${failed} failed`);
  Deno.exitCode = failed === 0 ? 0 : 1;
} finally {
  await Deno.remove(directory, { recursive: true });
}
