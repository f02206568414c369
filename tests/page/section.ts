import { assertEquals } from "@std/assert";
import { Checks } from "../../scripts/checks.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { startTestServer, type TestServerOptions } from "../support/server.ts";
import type { Browser } from "./browser.ts";
import type { Tab } from "./tab.ts";

/** What the checks of a section work with: a server, a tab with its page, and an agent next to it. */
export interface Scene {
  readonly tab: Tab;
  /** Base URL of the server. */
  readonly url: string;
  readonly agent: Agent;
  check<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** Opens a view: `search?q=x`. */
  open(fragment: string): Promise<void>;
}

/** A part of the tests with a server and a tab of its own. */
export interface Section {
  readonly name: string;
  readonly server?: TestServerOptions;
  /** Key that the agent sends. */
  readonly token?: string;
  run(scene: Scene): Promise<void>;
}

/** Runs the checks of a section, and at last that the browser has reported no error. */
export async function runSection(
  { name, server: options, token, run }: Section,
  browser: Browser,
): Promise<Checks> {
  const checks = new Checks(name);
  await using server = await startTestServer(options);
  await using agent = await connectAgent(server.url, token);
  await using tab = await browser.newTab();
  await tab.display({ width: 1100, isDark: false });
  try {
    await run({
      tab,
      url: server.url,
      agent,
      check: (name, run) => checks.check(name, run),
      open: (fragment) => tab.open(`${server.url}/#/${fragment}`),
    });
    await checks.check("the browser reports no error and no request to another origin", () => {
      assertEquals(tab.problems, []);
      return Promise.resolve();
    });
  } catch (error) {
    // A failed check was reported and counted. Continue with the other sections.
    if (checks.failed === 0) throw error;
  }
  return checks;
}
