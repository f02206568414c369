import { load } from "../load.ts";
import { quantile } from "../measure.ts";
import { distinctQueries, searchRequest, withProcessorTime } from "./calls.ts";
import { type Figure, type Row, type RowContext, sizesOf } from "./row.ts";
import { readQueries, type RunningProgram, sizeName, startProgram } from "./subject.ts";

const WARM_UP = 50;
const SEARCHES = 200;
/** Searches after which the runtime has compiled what searches often run. */
const LONG_WARM_UP = 1_000;
const CLIENTS = 8;
const CLIENTS_MS = 3_000;
/** Targets of one client: median and 95th percentile. */
const TARGETS: Record<number, readonly [p50: number, p95: number]> = {
  100_000: [1.5, 5],
  500_000: [4, 20],
};

/** Starts an engine and sends searches that no other measurement sends. */
async function warmEngine({ subject }: RowContext, size: number): Promise<RunningProgram> {
  const dataDir = `${subject.data}/${sizeName(size)}`;
  const program = await startProgram(subject, "engine", dataDir);
  const { keywords } = await readQueries(dataDir);
  await load({
    port: program.port,
    request: keywords.slice(-WARM_UP).map((query) => searchRequest(query)),
    connections: 1,
    maxRequests: WARM_UP,
  });
  return program;
}

/** Latency of one client: in a young process, and after many searches. */
export const search: Row = {
  id: "search",
  title: "engine search by words, one client",
  async measure(context) {
    const figures: Figure[] = [];
    for (const size of sizesOf(context, 10_000, 100_000, 500_000)) {
      await using program = await warmEngine(context, size);
      const queries = await readQueries(`${context.subject.data}/${sizeName(size)}`);
      const start = context.run * SEARCHES;
      const words = distinctQueries(queries, LONG_WARM_UP + SEARCHES, context.run);
      const send = (list: readonly string[]) =>
        withProcessorTime(program, () =>
          load({
            port: program.port,
            request: list.map((query) => searchRequest(query)),
            connections: 1,
            maxRequests: list.length,
          }));
      const add = async (
        kind: string,
        list: readonly string[],
        [p50Target, p95Target]: readonly number[],
      ) => {
        const { p50, p95, cpuMs } = await send(list);
        const name = `${sizeName(size)}, ${kind}`;
        figures.push(
          {
            name: `${name}, p50`,
            value: p50,
            unit: "ms",
            ...(p50Target && { target: { atMost: p50Target } }),
          },
          {
            name: `${name}, p95`,
            value: p95,
            unit: "ms",
            ...(p95Target && { target: { atMost: p95Target } }),
          },
          { name: `${name}, processor time`, value: cpuMs, unit: "ms" },
        );
      };
      const targets = TARGETS[size] ?? [];
      await add("words", words.slice(0, SEARCHES), targets);
      await add("mixed", queries.mixed.slice(start, start + SEARCHES).map((query) => `${query} `), []);
      await send(words.slice(SEARCHES, LONG_WARM_UP));
      await add(`words after ${LONG_WARM_UP} searches`, words.slice(LONG_WARM_UP), targets);
    }
    return figures;
  },
};

/** Throughput of several clients. */
export const clients: Row = {
  id: "clients",
  title: `engine search by words, ${CLIENTS} clients, all queries different`,
  async measure(context) {
    const figures: Figure[] = [];
    for (const size of sizesOf(context, 100_000, 500_000)) {
      await using program = await warmEngine(context, size);
      const queries = distinctQueries(
        await readQueries(`${context.subject.data}/${sizeName(size)}`),
        24_000,
        context.run,
      );
      const run = (from: number, connections: number) => {
        const request = queries.slice(from, from + 12_000).map((query) => searchRequest(query));
        return load({ port: program.port, request, connections, durationMs: CLIENTS_MS });
      };
      // The first queries are the longest, so both sides start in the middle of a list of pairs.
      const one = await run(4_000, 1);
      const many = await run(12_000, CLIENTS);
      const name = sizeName(size);
      figures.push(
        {
          name: `${name}, ${CLIENTS} clients`,
          value: many.perSecond,
          unit: "/s",
          target: { atLeast: size === 100_000 ? 900 : 250 },
        },
        {
          name: `${name}, of one client`,
          value: many.perSecond / one.perSecond,
          unit: "×",
          target: { atLeast: 1.7 },
        },
      );
    }
    return figures;
  },
};

/** The most expensive queries, while another client reads the status. */
export const worst: Row = {
  id: "worst",
  title: "worst of 26 kinds of queries",
  async measure(context) {
    const figures: Figure[] = [];
    for (const size of sizesOf(context, 100_000, 500_000)) {
      await using program = await warmEngine(context, size);
      const queries = (await readQueries(`${context.subject.data}/${sizeName(size)}`)).worst;
      let isDone = false;
      const status: number[] = [];
      const watcher = (async () => {
        while (!isDone) {
          const started = performance.now();
          await (await fetch(`${program.url}/api/v1/status`)).text();
          status.push(performance.now() - started);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      })();
      const times: { kind: string; ms: number; isCut: boolean }[] = [];
      for (const [kind, query] of Object.entries(queries)) {
        let isCut = false;
        const { p50: ms } = await load({
          port: program.port,
          request: searchRequest(query),
          connections: 1,
          maxRequests: 1,
          onResponse: (body) =>
            isCut = /"warning":"[^"]*(limit|budget|cut|time)/.test(new TextDecoder().decode(body)),
        });
        times.push({ kind, ms, isCut });
      }
      isDone = true;
      await watcher;
      times.sort((a, b) => b.ms - a.ms);
      const name = sizeName(size);
      figures.push(
        {
          name: `${name}, slowest of 26`,
          value: times[0]!.ms,
          unit: "ms",
          ...(size === 500_000 && { target: { atMost: 100 } }),
        },
        { name: `${name}, median of 26`, value: quantile(times.map(({ ms }) => ms), 0.5), unit: "ms" },
        { name: `${name}, status meanwhile, p95`, value: quantile(status, 0.95), unit: "ms" },
        { name: `${name}, status meanwhile, maximum`, value: Math.max(...status), unit: "ms" },
        ...times.slice(0, 5).map(({ kind, ms, isCut }) => ({
          name: `${name}, ${kind}${isCut ? " (cut, with a warning)" : ""}`,
          value: ms,
          unit: "ms",
        })),
      );
    }
    return figures;
  },
};
