// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * How much of what the socket can do is left over by the protocol: requests per second and latency of kb-mcp beside a
 * bare `Deno.serve` in the same run, since absolute figures differ from machine to machine and from hour to hour.
 *
 * @module
 */
import { load, type LoadResult, postRequest } from "./load.ts";

const ROUNDS = 5;
const ROUND_MS = 1500;
const AUTHORIZED = { authorization: "Bearer bench-token" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "noop", arguments: {} } };

interface Case {
  readonly name: string;
  readonly server: "raw" | "raw-list" | "parse" | "kb";
  /** The case that answers the same text with no work at all. */
  readonly ceiling: number;
  readonly request: Uint8Array;
}

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const cases: readonly Case[] = [
  { name: "raw Deno.serve, ready text", server: "raw", ceiling: 0, request: postRequest("/mcp", call) },
  { name: "raw, parse and stringify", server: "parse", ceiling: 0, request: postRequest("/mcp", call) },
  {
    name: "kb-mcp no-op tool, auth on",
    server: "kb",
    ceiling: 0,
    request: postRequest("/mcp", call, AUTHORIZED),
  },
  {
    name: "raw Deno.serve, text of tools/list",
    server: "raw-list",
    ceiling: 3,
    request: postRequest("/mcp", list),
  },
  {
    name: "kb-mcp tools/list, auth on",
    server: "kb",
    ceiling: 3,
    request: postRequest("/mcp", list, AUTHORIZED),
  },
];

/** Runs the cases in turn, several rounds, and prints the medians. */
export async function benchProtocol(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  const servers = {
    raw: await startServer("raw"),
    "raw-list": await startServer("raw-list"),
    parse: await startServer("parse"),
    kb: await startServer("kb", dataDir),
  };
  try {
    for (const connections of [1, 32]) {
      const results = new Map<Case, LoadResult[]>(cases.map((each) => [each, []]));
      for (let round = 0; round <= ROUNDS; round++) {
        for (const each of cases) {
          const { port } = servers[each.server];
          const result = await load({ port, request: each.request, connections, durationMs: ROUND_MS });
          if (round > 0) results.get(each)?.push(result); // round 0 warms the JIT up
        }
      }
      printTable(connections, results);
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

async function startServer(kind: string, ...args: string[]) {
  const script = new URL("./server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, kind, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  return {
    port: Number(value),
    async stop() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}

function printTable(connections: number, results: ReadonlyMap<Case, LoadResult[]>): void {
  const rows = [...results].map(([{ name, ceiling }, runs]) => ({
    name,
    ceiling,
    perSecond: median(runs.map((run) => run.perSecond)),
    p50: median(runs.map((run) => run.p50)),
    p99: median(runs.map((run) => run.p99)),
  }));
  console.log(`\n${connections} connection${connections === 1 ? "" : "s"}, median of ${ROUNDS} rounds`);
  console.log(`${"".padEnd(38)}    req/s  ×raw   p50 ms  ×raw   p99 ms`);
  for (const { name, ceiling, perSecond, p50, p99 } of rows) {
    const raw = rows[ceiling];
    console.log(
      name.padEnd(38),
      perSecond.toFixed(0).padStart(8),
      (perSecond / (raw?.perSecond ?? NaN)).toFixed(2).padStart(5),
      p50.toFixed(3).padStart(8),
      (p50 / (raw?.p50 ?? NaN)).toFixed(2).padStart(5),
      p99.toFixed(3).padStart(8),
    );
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

if (import.meta.main) await benchProtocol();
