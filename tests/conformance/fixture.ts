/**
 * What the suite wants to find on a server before it can check how tools, resources and prompts are answered. Mounted
 * on the product's own code in place of the product's; nothing in src imports it, so no build has it.
 *
 * @module
 */
import type { RunningServer } from "../../src/cli/serve.ts";
import { startTestServer } from "../support/server.ts";
import { fixturePrompts as prompts } from "./fixture_prompts.ts";
import { fixtureResources as resources } from "./fixture_resources.ts";
import { fixtureTools as tools } from "./fixture_tools.ts";

/** Starts the product with the suite's tools, resources and prompts. */
export async function startFixture(): Promise<RunningServer> {
  return await startTestServer({ tools, resources, prompts });
}
