/**
 * `deno task clients`: real clients from npm, each at one exact version, against the program as it is started from the
 * command line, with a key; in every era that the client can speak. Ends with `N passed, N failed`.
 *
 * The packages are named by the clients' own files and not by deno.json: nothing that is shipped knows them.
 *
 * @module
 */
import { Checks } from "../../scripts/checks.ts";
import { print } from "../../scripts/print.ts";
import type { Era } from "../conformance/suites.ts";
import { startProduct } from "../support/product.ts";
import { aiSdk } from "./ai_sdk.ts";
import type { RealClient } from "./client.ts";
import { inspector } from "./inspector.ts";
import { mcporter } from "./mcporter.ts";
import { official } from "./official.ts";
import { Recorder } from "./recorder.ts";
import { checkEra, playStory } from "./story.ts";

const TOKEN = "clients-token";
const CLIENTS: readonly RealClient[] = [official, aiSdk, inspector, mcporter];

let passed = 0;
let failed = 0;

async function play(client: RealClient, era: Era, target: string, directory: string): Promise<void> {
  const checks = new Checks(`${client.name}, ${era}`);
  await using recorder = new Recorder(target);
  try {
    const endpoint = { url: `${recorder.url}/mcp`, token: TOKEN, directory };
    await using connection = await checks.check("connects", () => client.connect(endpoint, era));
    await playStory(checks, connection, `${client.name.replaceAll(/\W+/g, " ").trim()} ${era}`);
    await checkEra(checks, recorder.passed, era);
  } catch (error) {
    // A failed check has been told and counted; the other clients still have their turn.
    if (checks.failed === 0) throw error;
  } finally {
    passed += checks.passed;
    failed += checks.failed;
  }
}

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-clients-" });
try {
  await using product = await startProduct(directory, { KB_MCP_API_KEY: TOKEN });
  for (const client of CLIENTS) {
    for (const era of client.eras) await play(client, era, product.url, directory);
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
