// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * A million requests in both eras, a list among eight calls: does the server's memory stay where it was? Linux only.
 *
 * @module
 */
import { startBenchServer } from "./bench_server.ts";
import { load } from "./load.ts";
import { requests } from "./requests.ts";

const REQUESTS = 1_000_000;
const CONNECTIONS = 32;
const PART_MS = 1000;
const TURNS = [
  ...Array<Uint8Array>(4).fill(requests.call2025),
  requests.list2025,
  ...Array<Uint8Array>(4).fill(requests.call2026),
  requests.list2026,
];

async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function soak(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-soak-" });
  const server = await startBenchServer("kb", dataDir);
  try {
    console.log("\nrequests   RSS MiB");
    let done = 0;
    let next = 0;
    for (let part = 0; done < REQUESTS; part++) {
      const request = TURNS[part % TURNS.length] ?? requests.call2025;
      done +=
        (await load({ port: server.port, request, connections: CONNECTIONS, durationMs: PART_MS })).requests;
      if (done < next) continue;
      console.log(String(done).padStart(8), (await residentMiB(server.pid)).toFixed(0).padStart(9));
      next += REQUESTS / 10;
    }
  } finally {
    await server.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

if (Deno.build.os === "linux") await soak();
else console.log("soak: skipped: the resident memory of a process is read from /proc, which is Linux's");
