// deno-lint-ignore-file no-console -- prints a table
/**
 * Resident memory of the server during a million requests in both protocol versions, one list for every four
 * calls. Linux only.
 *
 * @module
 */
import { startBenchServer } from "./bench_server.ts";
import { load } from "./load.ts";
import { requests } from "./requests.ts";
import { residentMiB } from "./measure.ts";

const REQUESTS = 1_000_000;
const CONNECTIONS = 32;
const STEP_MS = 1000;
const SEQUENCE = [
  ...Array<Uint8Array>(4).fill(requests.call2025),
  requests.list2025,
  ...Array<Uint8Array>(4).fill(requests.call2026),
  requests.list2026,
];

async function soak(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-soak-" });
  const server = await startBenchServer("kb-mcp", dataDir);
  try {
    console.log("\nrequests   RSS MiB");
    let sent = 0;
    let nextReport = 0;
    for (let step = 0; sent < REQUESTS; step++) {
      const request = SEQUENCE[step % SEQUENCE.length] ?? requests.call2025;
      sent +=
        (await load({ port: server.port, request, connections: CONNECTIONS, durationMs: STEP_MS })).requests;
      if (sent < nextReport) continue;
      console.log(String(sent).padStart(8), (await residentMiB(server.pid)).toFixed(0).padStart(9));
      nextReport += REQUESTS / 10;
    }
  } finally {
    await server.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

if (Deno.build.os === "linux") await soak();
else console.log("skipped: reading a process's resident memory requires Linux");
