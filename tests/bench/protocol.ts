// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * How much of what the socket can do is left over by the protocol: requests per second and latency of kb-mcp beside a
 * bare `Deno.serve` in the same run, since absolute figures differ from machine to machine and from hour to hour.
 *
 * The ratios are medians of the rounds' own ratios: what disturbs a machine for seconds disturbs both sides of them.
 *
 * @module
 */
import { startBenchServer } from "./bench_server.ts";
import { load, type LoadResult } from "./load.ts";
import { requests } from "./requests.ts";

const ROUNDS = 9;
const ROUND_MS = 1000;

interface Case {
  readonly name: string;
  readonly server: "raw" | "raw-list" | "parse" | "kb";
  /** The case that this one is measured by. */
  readonly raw: number;
  readonly request: Uint8Array;
}

const cases: readonly Case[] = [
  { name: "raw Deno.serve, parse and stringify", server: "parse", raw: 0, request: requests.call },
  { name: "raw Deno.serve, ready text", server: "raw", raw: 0, request: requests.call },
  { name: "no-op tool, auth on, 2025-11-25", server: "kb", raw: 0, request: requests.call2025 },
  { name: "no-op tool, auth on, 2026-07-28", server: "kb", raw: 0, request: requests.call2026 },
  { name: "raw Deno.serve, text of tools/list", server: "raw-list", raw: 4, request: requests.list },
  { name: "tools/list, auth on, 2025-11-25", server: "kb", raw: 4, request: requests.list2025 },
  { name: "tools/list, auth on, 2026-07-28", server: "kb", raw: 4, request: requests.list2026 },
];

/** Runs the cases in turn, several rounds, and prints the medians. */
export async function benchProtocol(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  const servers = {
    raw: await startBenchServer("raw"),
    "raw-list": await startBenchServer("raw-list"),
    parse: await startBenchServer("parse"),
    kb: await startBenchServer("kb", dataDir),
  };
  try {
    for (const connections of [1, 32]) {
      const rounds: LoadResult[][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const results: LoadResult[] = [];
        for (const { server, request } of cases) {
          const { port } = servers[server];
          results.push(await load({ port, request, connections, durationMs: ROUND_MS }));
        }
        if (round > 0) rounds.push(results); // round 0 warms the JIT up
      }
      printTable(connections, rounds);
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

function printTable(connections: number, rounds: readonly LoadResult[][]): void {
  console.log(`\n${connections} connection${connections === 1 ? "" : "s"}, medians of ${ROUNDS} rounds`);
  console.log(`${"".padEnd(38)}    req/s  ×raw   p50 ms  ×raw   p99 ms`);
  for (const [index, { name, raw }] of cases.entries()) {
    const of = (figure: (result: LoadResult) => number) =>
      median(rounds.map((results) => figure(at(results, index))));
    const ratio = (figure: (result: LoadResult) => number) =>
      median(rounds.map((results) => figure(at(results, index)) / figure(at(results, raw))));
    console.log(
      name.padEnd(38),
      of(({ perSecond }) => perSecond).toFixed(0).padStart(8),
      ratio(({ perSecond }) => perSecond).toFixed(2).padStart(5),
      of(({ p50 }) => p50).toFixed(3).padStart(8),
      ratio(({ p50 }) => p50).toFixed(2).padStart(5),
      of(({ p99 }) => p99).toFixed(3).padStart(8),
    );
  }
}

function at(results: readonly LoadResult[], index: number): LoadResult {
  const result = results[index];
  if (!result) throw new RangeError(`No result ${index}`);
  return result;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

if (import.meta.main) await benchProtocol();
