/**
 * `deno task clients`: runs real clients from npm, each at an exact version, against the program with a
 * bearer token, with every protocol version that the client supports; clients over stdio; and the programs of clients
 * that read what `kb-mcp connect` writes. Prints `N passed, N failed`.
 *
 * The packages are not in deno.json, because nothing that is shipped depends on them.
 *
 * @module
 */
import { Checks } from "../../scripts/checks.ts";
import { print } from "../../scripts/print.ts";
import type { ProtocolVersion } from "../conformance/suites.ts";
import { startProduct } from "../support/product.ts";
import { checkConfigurations } from "./configurations.ts";
import { checkStdio } from "./stdio.ts";
import { aiSdk } from "./ai_sdk.ts";
import type { RealClient } from "./client.ts";
import { inspector } from "./inspector.ts";
import { mcporter } from "./mcporter.ts";
import { official } from "./official.ts";
import { Recorder } from "./recorder.ts";
import { checkProtocolVersion, runStory } from "./story.ts";

const TOKEN = "clients-token";
const CLIENTS: readonly RealClient[] = [official, aiSdk, inspector, mcporter];

let passed = 0;
let failed = 0;

async function runClient(
  client: RealClient,
  protocolVersion: ProtocolVersion,
  target: string,
  directory: string,
): Promise<void> {
  const checks = new Checks(`${client.name}, ${protocolVersion}`);
  await using recorder = new Recorder(target);
  try {
    const endpoint = { url: `${recorder.url}/mcp`, token: TOKEN, directory };
    await using connection = await checks.check("connects", () => client.connect(endpoint, protocolVersion));
    await runStory(checks, connection, `${client.name.replaceAll(/\W+/g, " ").trim()} ${protocolVersion}`);
    await checkProtocolVersion(checks, recorder.requests, protocolVersion);
  } catch (error) {
    // A failed check was reported and counted. Continue with the other clients.
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
    for (const protocolVersion of client.protocolVersions) {
      await runClient(client, protocolVersion, product.url, directory);
    }
  }
  for (const checks of [...await checkStdio(directory), await checkConfigurations(directory)]) {
    passed += checks.passed;
    failed += checks.failed;
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
