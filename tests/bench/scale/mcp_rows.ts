import { type BenchServer, startBenchServer } from "../bench_server.ts";
import { exchangeOnce, load } from "../load.ts";
import { median, quantile } from "../measure.ts";
import {
  checkToolResult,
  distinctQueries,
  noteRequest,
  queueEmpty,
  searchRequest,
  toolRequest,
  withProcessorTime,
} from "./calls.ts";
import type { Figure, Row, RowContext } from "./row.ts";
import { readQueries, type RunningProgram, sizeName, startProgram, temporaryDirectory } from "./subject.ts";

const CONNECTIONS = 32;
const ROUND_MS = 1_000;
const ROUNDS = 3;
/** Notes of the small knowledge base. */
const NOTES = 1_500;
const SOAK_REQUESTS = 300_000;
/** Time in which a server without requests ends idle threads and collects garbage, in milliseconds. */
const REST_MS = 20_000;

/** Fills a directory with notes through the engine. */
async function fillNotes(
  { subject, corpus, run }: RowContext,
  dataDir: string,
  count: number,
): Promise<void> {
  await using engine = await startProgram(subject, "engine", dataDir);
  const request = Array.from({ length: count }, (_, n) => {
    const { title, text } = corpus.notes.at(corpus.notes.length - 1 - run * count - n);
    return noteRequest(title, text);
  });
  await load({ port: engine.port, request, connections: 16, maxRequests: count });
  await queueEmpty(engine);
  await engine.stop();
}

/** A server that parses the same requests and sends the same responses. */
async function rawServer(program: RunningProgram, request: Uint8Array): Promise<BenchServer> {
  return await startBenchServer("raw", await exchangeOnce(program.port, request));
}

/** Cost of MCP in addition to the engine. */
export const overhead: Row = {
  id: "mcp",
  title: "kb_search through MCP minus the engine's search",
  async measure({ subject, sizes, run }) {
    const size = sizes.includes(100_000) ? 100_000 : sizes[0]!;
    const dataDir = `${subject.data}/${sizeName(size)}`;
    const queries = distinctQueries(await readQueries(dataDir), 500, run);
    await using copy = await temporaryDirectory(dataDir);
    await using serve = await startProgram(subject, "serve", copy.path);
    await using engine = await startProgram(subject, "engine", dataDir);
    const times: [mcp: number, engine: number][] = [];
    for (const [n, query] of queries.entries()) {
      const once = async (port: number, request: Uint8Array, onResponse?: (body: Uint8Array) => void) =>
        (await load({ port, request, connections: 1, maxRequests: 1, ...(onResponse && { onResponse }) }))
          .p50;
      const pair: [number, number] = [
        await once(serve.port, toolRequest("kb_search", { query }), checkToolResult),
        await once(engine.port, searchRequest(query)),
      ];
      if (n >= 100) times.push(pair);
    }
    const differences = times.map(([mcp, engine]) => mcp - engine);
    const figure = (name: string, value: number, atMost?: number): Figure => ({
      name: `${sizeName(size)}, ${name}`,
      value,
      unit: "ms",
      ...(atMost !== undefined && { target: { atMost } }),
    });
    return [
      figure("kb_search, p50", quantile(times.map(([mcp]) => mcp), 0.5)),
      figure("kb_search, p95", quantile(times.map(([mcp]) => mcp), 0.95)),
      figure("engine, p50", quantile(times.map(([, engine]) => engine), 0.5)),
      figure("difference, median of pairs", median(differences), 1),
      figure("difference, p95 of pairs", quantile(differences, 0.95)),
    ];
  },
};

/** Calls without much work, and searches of a small knowledge base. */
export const cheap: Row = {
  id: "cheap",
  title: `calls through MCP, ${NOTES} notes, ${CONNECTIONS} connections`,
  async measure(context) {
    await using dataDir = await temporaryDirectory();
    await fillNotes(context, dataDir.path, NOTES);
    await using program = await startProgram(context.subject, "serve", dataDir.path);
    const size = sizeName(context.sizes[0]!);
    const queries = distinctQueries(
      await readQueries(`${context.subject.data}/${size}`),
      40_000,
      context.run,
    );
    const calls: Record<string, { requests: Uint8Array[]; ofRaw?: number; perSecond?: number }> = {
      kb_status: { requests: [toolRequest("kb_status", {})], ofRaw: 0.35 },
      "kb_get of a missing id": { requests: [toolRequest("kb_get", { document_id: 999_999 })], ofRaw: 0.35 },
      "kb_search, different queries": {
        requests: queries.map((query) => toolRequest("kb_search", { query })),
        perSecond: 3_000,
      },
      "kb_search, 50 queries in turn": {
        requests: queries.slice(0, 50).map((query) => toolRequest("kb_search", { query })),
        perSecond: 3_000,
      },
    };
    const figures: Figure[] = [];
    for (const [name, { requests, ofRaw, perSecond }] of Object.entries(calls)) {
      const raw = await rawServer(program, requests[0]!);
      const results: { perSecond: number; ofRaw: number; cpuMs: number }[] = [];
      try {
        const share = Math.floor(requests.length / (ROUNDS + 1));
        for (let round = 0; round <= ROUNDS; round++) {
          const request = share < 1_000 ? requests : requests.slice(round * share, (round + 1) * share);
          const options = { connections: CONNECTIONS, durationMs: ROUND_MS };
          const own = await withProcessorTime(
            program,
            () => load({ port: program.port, request, ...options }),
          );
          const other = await load({ port: raw.port, request, ...options });
          // The first round warms up.
          if (round > 0) results.push({ ...own, ofRaw: own.perSecond / other.perSecond });
        }
      } finally {
        await raw.stop();
      }
      const middle = (value: "perSecond" | "ofRaw" | "cpuMs") =>
        median(results.map((result) => result[value]));
      figures.push(
        {
          name,
          value: middle("perSecond"),
          unit: "/s",
          ...(perSecond && { target: { atLeast: perSecond } }),
        },
        {
          name: `${name}, of raw`,
          value: middle("ofRaw"),
          unit: "×",
          ...(ofRaw && { target: { atLeast: ofRaw } }),
        },
        { name: `${name}, processor time`, value: middle("cpuMs"), unit: "ms" },
      );
    }
    return figures;
  },
};

/** Memory after many requests. */
export const soak: Row = {
  id: "soak",
  title: `memory of kb-mcp serve after ${SOAK_REQUESTS} requests`,
  async measure(context) {
    await using dataDir = await temporaryDirectory();
    await fillNotes(context, dataDir.path, NOTES);
    await using program = await startProgram(context.subject, "serve", dataDir.path);
    const size = sizeName(context.sizes[0]!);
    const queries = distinctQueries(await readQueries(`${context.subject.data}/${size}`), 2_000, context.run);
    // Of twenty requests, one is a search.
    const request = queries.flatMap((query) => [
      toolRequest("kb_search", { query }),
      ...Array.from({ length: 9 }, () => toolRequest("kb_status", {})),
      ...Array.from({ length: 10 }, () => toolRequest("kb_get", { document_id: 999_999 })),
    ]);
    const before = await program.memory();
    const { perSecond } = await load({
      port: program.port,
      request,
      connections: CONNECTIONS,
      maxRequests: SOAK_REQUESTS,
    });
    const after = await program.memory();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const rested = await program.memory();
    const target = { atMost: 160 };
    return [
      { name: "resident before", value: before.resident, unit: "MiB" },
      { name: "resident after", value: after.resident, unit: "MiB", target },
      { name: "anonymous after", value: after.anonymous, unit: "MiB" },
      { name: `resident ${REST_MS / 1000} s later`, value: rested.resident, unit: "MiB", target },
      { name: "requests", value: perSecond, unit: "/s" },
    ];
  },
};
