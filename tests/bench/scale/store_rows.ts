import { DatabaseSync } from "node:sqlite";
import { load } from "../load.ts";
import { median } from "../measure.ts";
import { distinctQueries, noteRequest, queueEmpty, searchRequest, toolRequest } from "./calls.ts";
import { type Figure, type Row, type RowContext, sizesOf } from "./row.ts";
import { readQueries, sizeName, startProgram, type Subject, temporaryDirectory } from "./subject.ts";

const MIB = 2 ** 20;
const SMALL_NOTES = 1_568;
const STARTS = 3;
const LOAD_MS = 6_000;

async function databaseBytes(dataDir: string): Promise<number> {
  let bytes = 0;
  for await (const { name } of Deno.readDir(dataDir)) {
    if (/\.db(-wal)?$/.test(name)) bytes += (await Deno.stat(`${dataDir}/${name}`)).size;
  }
  return bytes;
}

/** UTF-8 bytes of all stored documents. */
function textBytes(dataDir: string): number {
  using db = new DatabaseSync(`${dataDir}/kb.db`, { readOnly: true });
  return Number(db.prepare("SELECT sum(size_bytes) AS n FROM documents").get()?.["n"]);
}

/** Size of a small knowledge base that has grown note by note. */
export const smallStore: Row = {
  id: "small-disk",
  title: `database of ${SMALL_NOTES} one-paragraph notes`,
  async measure({ subject, corpus: { notes }, run }) {
    await using dataDir = await temporaryDirectory();
    await using program = await startProgram(subject, "engine", dataDir.path);
    const request = Array.from({ length: SMALL_NOTES }, (_, n) => {
      const { title, text } = notes.at(notes.length - 1 - run * SMALL_NOTES - n);
      return noteRequest(title, text);
    });
    await load({ port: program.port, request, connections: 4, maxRequests: request.length });
    await queueEmpty(program);
    const running = await databaseBytes(dataDir.path);
    await program.stop();
    const stopped = await databaseBytes(dataDir.path);
    return [
      { name: "text", value: textBytes(dataDir.path) / MIB, unit: "MiB" },
      { name: "database with its log, running", value: running / MIB, unit: "MiB", target: { atMost: 4 } },
      { name: "database, stopped", value: stopped / MIB, unit: "MiB" },
    ];
  },
};

/** Database size by text size. */
export const disk: Row = {
  id: "disk",
  title: "database bytes per byte of text",
  async measure(context) {
    const figures: Figure[] = [];
    for (const size of sizesOf(context, 10_000, 100_000, 500_000)) {
      for (const [suffix, atMost] of [["", 2], ["-vectors", 3]] as const) {
        const dataDir = `${context.subject.data}/${sizeName(size)}${suffix}`;
        if (!await Deno.stat(dataDir).then(() => true, () => false)) continue;
        const value = await databaseBytes(dataDir) / textBytes(dataDir);
        figures.push({
          name: `${sizeName(size)}, ${suffix ? "with" : "without"} vectors`,
          value,
          unit: "×",
          ...(size >= 100_000 && { target: { atMost } }),
        });
      }
    }
    return figures;
  },
};

/** Start of a large knowledge base, next to that of an empty one. */
export const start: Row = {
  id: "start",
  title: "start of kb-mcp serve to ready, and first search",
  async measure(context) {
    const figures: Figure[] = [];
    await using empty = await temporaryDirectory();
    for (const size of sizesOf(context, 100_000, 500_000)) {
      const large = `${context.subject.data}/${sizeName(size)}`;
      const queries = distinctQueries(await readQueries(large), 100, context.run);
      const starts: Record<"empty" | "large", Start[]> = { empty: [], large: [] };
      for (let n = 0; n <= STARTS; n++) {
        const query = queries[n]!;
        const pair = [
          await measureStart(context.subject, empty.path, query),
          await measureStart(context.subject, large, query),
        ] as const;
        // The first starts fill the caches of compiled code and of the disk.
        if (n > 0) {
          starts.empty.push(pair[0]);
          starts.large.push(pair[1]);
        }
      }
      const ready = (kind: "empty" | "large") => median(starts[kind].map(({ readyMs }) => readyMs));
      const first = (kind: "empty" | "large") => median(starts[kind].map(({ firstMs }) => firstMs));
      const name = sizeName(size);
      const isTarget = size === 500_000;
      figures.push(
        { name: `${name}, ready`, value: ready("large"), unit: "ms" },
        {
          name: `${name}, ready, of an empty store`,
          value: ready("large") / ready("empty"),
          unit: "×",
          ...(isTarget && { target: { atMost: 1.3 } }),
        },
        {
          name: `${name}, first search, more than on an empty store`,
          value: first("large") - first("empty"),
          unit: "ms",
          ...(isTarget && { target: { atMost: 50 } }),
        },
        {
          name: `${name}, peak memory`,
          value: Math.max(...starts.large.map(({ peak }) => peak)),
          unit: "MiB",
          ...(isTarget && { target: { atMost: 250 } }),
        },
      );
    }
    return figures;
  },
};

interface Start {
  readonly readyMs: number;
  readonly firstMs: number;
  readonly peak: number;
}

async function measureStart(subject: Subject, dataDir: string, query: string): Promise<Start> {
  const started = performance.now();
  await using program = await startProgram(subject, "serve", dataDir);
  for (;;) {
    const response = await fetch(`${program.url}/readyz`);
    await response.body?.cancel();
    if (response.ok) break;
  }
  const readyMs = performance.now() - started;
  const { p50: firstMs } = await load({
    port: program.port,
    request: toolRequest("kb_search", { query }),
    connections: 1,
    maxRequests: 1,
  });
  const { peak } = await program.memory();
  await program.stop();
  return { readyMs, firstMs, peak };
}

/** Memory after searches of several clients. */
export const loadMemory: Row = {
  id: "memory",
  title: "memory of kb-mcp engine after searches of 8 clients",
  async measure(context: RowContext) {
    const figures: Figure[] = [];
    for (const size of sizesOf(context, 100_000, 500_000)) {
      const dataDir = `${context.subject.data}/${sizeName(size)}`;
      await using program = await startProgram(context.subject, "engine", dataDir);
      const request = distinctQueries(await readQueries(dataDir), 8_000, context.run).map((query) =>
        searchRequest(query)
      );
      await load({ port: program.port, request, connections: 8, durationMs: LOAD_MS });
      const { resident, anonymous, peak } = await program.memory();
      const name = sizeName(size);
      figures.push(
        {
          name: `${name}, anonymous`,
          value: anonymous,
          unit: "MiB",
          ...(size === 500_000 && { target: { atMost: 400 } }),
        },
        { name: `${name}, resident`, value: resident, unit: "MiB" },
        { name: `${name}, peak`, value: peak, unit: "MiB" },
      );
    }
    return figures;
  },
};
