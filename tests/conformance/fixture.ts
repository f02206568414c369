/**
 * Tools, resources and prompts that the suite requires of a server. They replace the ones of the product;
 * nothing in src imports them, so they are not part of any build.
 *
 * @module
 */
import type { RunningServer } from "../../src/cli/serve.ts";
import { startTestServer } from "../support/server.ts";
import { fixturePrompts as prompts } from "./fixture_prompts.ts";
import { fixtureResources as resources } from "./fixture_resources.ts";
import { fixtureTools as tools } from "./fixture_tools.ts";

/** Starts the product with the suite's fixture. */
export async function startFixture(): Promise<RunningServer> {
  return await startTestServer({ tools, resources, prompts });
}
