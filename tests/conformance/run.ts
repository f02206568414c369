/**
 * `deno task conformance`: runs the official conformance suite against the program, and against the same code
 * with the fixture tools, resources and prompts of the suite. Prints a table of scenario × protocol version ×
 * suite, then `N passed, N failed`.
 *
 * @module
 */
import { print } from "../../scripts/print.ts";
import { startFixture } from "./fixture.ts";
import type { Verdict } from "./judge.ts";
import { makePlan, type Plan } from "./plan.ts";
import { runScenario } from "./run_scenario.ts";
import type { Target } from "./scenarios.ts";
import { startProduct } from "../support/product.ts";
import { type ListedScenario, listScenarios, type Suite, SUITES } from "./suites.ts";
import { tabulate } from "./table.ts";

/** Number of scenarios that run at the same time: CI runners have two cores. */
const CONCURRENCY = 2;

async function lists(): Promise<ReadonlyMap<Suite, readonly ListedScenario[]>> {
  const lists = new Map<Suite, readonly ListedScenario[]>();
  // Sequential, because each suite may have to be downloaded first.
  for (const suite of SUITES) lists.set(suite, await listScenarios(suite));
  return lists;
}

/** Runs all scenarios of a plan; the verdicts are in the same order. */
async function runAll({ runs }: Plan, directory: string): Promise<Verdict[]> {
  await using product = await startProduct(directory);
  await using fixture = await startFixture();
  const urls: Record<Target, string> = { product: `${product.url}/mcp`, fixture: `${fixture.url}/mcp` };
  const verdicts: Verdict[] = [];
  const queue = runs.entries();
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const [index, run] of queue) verdicts[index] = await runScenario(run, urls[run.target], directory);
  }));
  return verdicts;
}

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-conformance-" });
try {
  const plan = makePlan(await lists());
  const { lines, passed, failed, warnings } = tabulate(plan, await runAll(plan, directory));
  for (const line of lines) print(line);
  print(`${plan.skipped.length} not applicable, ${warnings} warnings`);
  print(`${passed} passed, ${failed} failed`);
  Deno.exitCode = failed === 0 ? 0 : 1;
} finally {
  await Deno.remove(directory, { recursive: true });
}
