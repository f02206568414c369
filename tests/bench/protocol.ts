// deno-lint-ignore-file no-console -- prints a table
/**
 * Requests per second and latency of kb-mcp, compared with a bare `Deno.serve` that gets the same bytes and
 * sends the same body. Ratios within one run are comparable between machines, absolute figures are not. A
 * ratio is the median of the ratios of each round, so that a disturbance of seconds affects both sides of it.
 *
 * Servers on the official SDKs for other languages take part in each round once `deno task bench:peers` has
 * built them; see `peers.ts`.
 *
 * @module
 */
import { startBenchServer } from "./bench_server.ts";
import { syntheticText } from "./corpus.ts";
import { exchangeOnce, load, type LoadResult } from "./load.ts";
import { startPeers } from "./peers.ts";
import { requests, toolCall } from "./requests.ts";
import { median } from "./measure.ts";

const ROUNDS = 9;
const ROUND_MS = 500;
/** Number of notes in the knowledge base. */
const NOTES = 1_500;

interface Case {
  readonly name: string;
  readonly server: "raw" | "raw-text" | "kb-mcp" | { readonly port: number };
  readonly request: keyof typeof requests;
}

const ownCases: readonly Case[] = [
  { name: "raw, parse and stringify", server: "raw", request: "call2025" },
  { name: "raw, constant text", server: "raw-text", request: "call2025" },
  { name: "tools/call, auth on, 2025-11-25", server: "kb-mcp", request: "call2025" },
  { name: "raw, parse and stringify", server: "raw", request: "call2026" },
  { name: "tools/call, auth on, 2026-07-28", server: "kb-mcp", request: "call2026" },
  { name: "raw, constant text", server: "raw-text", request: "list2025" },
  { name: "tools/list, auth on, 2025-11-25", server: "kb-mcp", request: "list2025" },
  { name: "raw, constant text", server: "raw-text", request: "list2026" },
  { name: "tools/list, auth on, 2026-07-28", server: "kb-mcp", request: "list2026" },
  { name: "raw, parse and stringify", server: "raw", request: "status" },
  { name: "kb_status", server: "kb-mcp", request: "status" },
  { name: "raw, parse and stringify", server: "raw", request: "missing" },
  { name: "kb_get, unknown id", server: "kb-mcp", request: "missing" },
  { name: "raw, parse and stringify", server: "raw", request: "search" },
  { name: `kb_search, ${NOTES} notes`, server: "kb-mcp", request: "search" },
];

/** Runs all cases in turn, in several rounds, and prints the medians. */
export async function benchProtocol(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => Deno.remove(dataDir, { recursive: true }));
  const kbMcp = await startBenchServer("kb-mcp", dataDir);
  cleanup.defer(() => kbMcp.stop());
  await addNotes(kbMcp.port);
  const peers = cleanup.use(await startPeers());
  const cases: readonly Case[] = [...ownCases, ...peers.cases];
  const ports: number[] = [];
  for (const { server, request } of cases) {
    if (server === "kb-mcp" || typeof server === "object") {
      ports.push(server === "kb-mcp" ? kbMcp.port : server.port);
      continue;
    }
    const body = await exchangeOnce(kbMcp.port, requests[request]);
    const raw = await startBenchServer(server, body);
    cleanup.defer(() => raw.stop());
    ports.push(raw.port);
  }
  for (const connections of [1, 32]) {
    const rounds: LoadResult[][] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const results: LoadResult[] = [];
      for (const [index, { request }] of cases.entries()) {
        const port = ports[index] ?? 0;
        results.push(await load({ port, request: requests[request], connections, durationMs: ROUND_MS }));
      }
      if (round > 0) rounds.push(results); // round 0 warms up the JIT compiler
    }
    printTable(connections, { cases, rounds });
  }
}

async function addNotes(port: number): Promise<void> {
  const notes = syntheticText(1).documents(Infinity).take(NOTES);
  const texts = notes.map(({ title, chunks: [chunk] }) =>
    toolCall("kb_addnote", { title, text: typeof chunk === "string" ? chunk : chunk?.text })
  );
  const add = async () => {
    for (const request of texts) await exchangeOnce(port, request);
  };
  await Promise.all(Array.from({ length: 8 }, add));
}

interface Measured {
  readonly cases: readonly Case[];
  /** Results of each round, in the order of the cases. */
  readonly rounds: readonly LoadResult[][];
}

function printTable(connections: number, { cases, rounds }: Measured): void {
  console.log(`\n${connections} connection${connections > 1 ? "s" : ""}, medians of ${ROUNDS} rounds`);
  console.log(`${"".padEnd(34)}${"req/s".padStart(8)} ${"× raw".padStart(6)}   p50 ms   p99 ms`);
  for (const [index, { name, request }] of cases.entries()) {
    // The first case with the same request is the server to compare with.
    const rawIndex = cases.findIndex((other) => other.request === request);
    const figure = (value: (result: LoadResult, raw: LoadResult) => number) =>
      median(rounds.map((results) => value(results[index]!, results[rawIndex]!)));
    console.log(
      name.padEnd(34) +
        figure(({ perSecond }) => perSecond).toFixed(0).padStart(8),
      figure(({ perSecond }, raw) => perSecond / raw.perSecond).toFixed(2).padStart(6),
      figure(({ p50 }) => p50).toFixed(3).padStart(8),
      figure(({ p99 }) => p99).toFixed(3).padStart(8),
    );
  }
}

if (import.meta.main) await benchProtocol();
