import { load } from "../load.ts";
import { quantile } from "../measure.ts";
import {
  checkToolResult,
  distinctQueries,
  fileRequest,
  noteRequest,
  queueEmpty,
  searchRequest,
  toolRequest,
} from "./calls.ts";
import type { Figure, Row, RowContext } from "./row.ts";
import { readQueries, type RunningProgram, sizeName, startProgram, temporaryDirectory } from "./subject.ts";

const SENDERS = 16;
const NOTES = 4_000;
const FILES = 200;
const MCP_CLIENTS = 32;
const MCP_NOTES = 1_000;
/** Rounds of the row with searches, each of texts without searches, and the same number with them. */
const BUSY_ROUNDS = 6;
/** Texts of such a half round: few, because the store grows. */
const BUSY_NOTES = 500;
const BUSY_FILES = 80;
/** Searches of a round without ingestion. */
const IDLE_SEARCHES = 200;

/** Returns requests for texts that no data directory contains, since the random order ends with them. */
function noteRequests({ corpus: { notes }, run }: RowContext, count: number, skip = 0): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => {
    const { title, text } = notes.at(notes.length - 1 - (run * count + skip + n) % 50_000);
    return noteRequest(title, text);
  });
}

function fileRequests({ corpus: { files }, run }: RowContext, count: number, skip = 0): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => {
    const { text } = files.at(files.length - 1 - (run * count + skip + n) % 15_000);
    return fileRequest(`manual-${run}-${skip + n}.md`, text);
  });
}

/** Sends jobs and waits until all are done. Returns the time in seconds. */
async function ingest(program: RunningProgram, requests: readonly Uint8Array[]): Promise<number> {
  const started = performance.now();
  await load({ port: program.port, request: requests, connections: SENDERS, maxRequests: requests.length });
  await queueEmpty(program);
  return (performance.now() - started) / 1000;
}

async function countChunks({ url }: RunningProgram): Promise<number> {
  return (await (await fetch(`${url}/api/v1/status`)).json()).chunks;
}

/** Notes through the engine's API. */
export const notes: Row = {
  id: "notes",
  title: `notes of one paragraph, ${SENDERS} connections, synced and searchable`,
  async measure(context) {
    await using dataDir = await temporaryDirectory();
    await using program = await startProgram(context.subject, "engine", dataDir.path);
    await ingest(program, noteRequests(context, 500, NOTES));
    const before = await program.processorMs();
    const seconds = await ingest(program, noteRequests(context, NOTES));
    return [
      { name: "notes", value: NOTES / seconds, unit: "/s", target: { atLeast: 5_000 } },
      { name: "processor time of a note", value: (await program.processorMs() - before) / NOTES, unit: "ms" },
    ];
  },
};

/** Notes through MCP, each until it is done. */
export const addNote: Row = {
  id: "addnote",
  title: "kb_addnote through MCP until done",
  async measure({ subject, corpus: { notes }, run }) {
    await using dataDir = await temporaryDirectory();
    await using program = await startProgram(subject, "serve", dataDir.path);
    let used = run * 8_000;
    const requests = (count: number) =>
      Array.from(
        { length: count },
        () => toolRequest("kb_addnote", { ...notes.at(notes.length - 1 - used++) }),
      );
    const call = (request: Uint8Array[], connections: number) =>
      load({
        port: program.port,
        request,
        connections,
        maxRequests: request.length,
        onResponse: checkToolResult,
      });
    await call(requests(100), 1);
    const one = await call(requests(200), 1);
    await call(requests(500), MCP_CLIENTS);
    const many = await call(requests(MCP_NOTES), MCP_CLIENTS);
    return [
      { name: "one client, p50", value: one.p50, unit: "ms", target: { atMost: 4 } },
      { name: "one client, p95", value: one.p95, unit: "ms" },
      { name: `${MCP_CLIENTS} clients`, value: many.perSecond, unit: "/s", target: { atLeast: 3_000 } },
    ];
  },
};

/** Files through the engine's API. */
export const files: Row = {
  id: "files",
  title: `Markdown files of 5–50 KB, ${SENDERS} connections`,
  async measure(context) {
    await using dataDir = await temporaryDirectory();
    await using program = await startProgram(context.subject, "engine", dataDir.path);
    await ingest(program, fileRequests(context, 30, FILES));
    const [before, cpuBefore] = [await countChunks(program), await program.processorMs()];
    const seconds = await ingest(program, fileRequests(context, FILES));
    const chunks = await countChunks(program) - before;
    return [
      { name: "files", value: FILES / seconds, unit: "/s", target: { atLeast: 1_000 } },
      { name: "chunks", value: chunks / seconds, unit: "/s", target: { atLeast: 10_000 } },
      {
        name: "processor time of a chunk",
        value: (await program.processorMs() - cpuBefore) / chunks,
        unit: "ms",
      },
    ];
  },
};

/**
 * Ingestion and searches at the same time.
 *
 * A process becomes faster while its code is compiled, and the machine changes its speed: each kind of load runs once
 * before it is measured, and then in turn with the others, which begin in another order every second round.
 */
export const busy: Row = {
  id: "busy",
  title: "ingestion while one client searches, 10k chunks stored",
  async measure(context) {
    const size = context.sizes[0]!;
    const from = `${context.subject.data}/${sizeName(size)}`;
    const queries = distinctQueries(await readQueries(from), 40_000, context.run).map((query) =>
      searchRequest(query)
    );
    const figures: Figure[] = [];
    for (
      const [kind, count, requests] of [
        ["notes", BUSY_NOTES, noteRequests],
        ["files", BUSY_FILES, fileRequests],
      ] as const
    ) {
      await using dataDir = await temporaryDirectory(from);
      await using program = await startProgram(context.subject, "engine", dataDir.path);
      const port = program.port;
      let [usedQueries, usedTexts] = [0, 0];
      const nextQuery = () => queries[usedQueries++ % queries.length]!;
      const nextTexts = () => requests(context, count, count * usedTexts++);
      /** Searches without ingestion. Returns their times in milliseconds. */
      const searchIdle = () => {
        const end = usedQueries + IDLE_SEARCHES;
        return searchOneByOne(port, () => usedQueries < end ? nextQuery() : undefined);
      };
      /** Returns the time of ingestion in seconds, and those of the searches meanwhile in milliseconds. */
      const ingestBusy = async () => {
        // Built before the searches begin, whose client would wait for that.
        const texts = nextTexts();
        let isDone = false;
        const searching = searchOneByOne(port, () => isDone ? undefined : nextQuery());
        const seconds = await ingest(program, texts);
        isDone = true;
        return { seconds, times: await searching };
      };
      await searchIdle();
      await ingest(program, nextTexts());
      await ingestBusy();
      const idle: number[] = [];
      const meanwhile: number[] = [];
      let [alone, together] = [0, 0];
      for (let round = 0; round < BUSY_ROUNDS; round++) {
        const steps = [
          async () => void idle.push(...await searchIdle()),
          async () => void (alone += await ingest(program, nextTexts())),
          async () => {
            const { seconds, times } = await ingestBusy();
            together += seconds;
            meanwhile.push(...times);
          },
        ];
        for (const step of round % 2 ? steps.toReversed() : steps) await step();
      }
      const [idleP95, busyP95] = [quantile(idle, 0.95), quantile(meanwhile, 0.95)];
      figures.push(
        { name: `${kind}, of the rate alone`, value: alone / together, unit: "×", target: { atLeast: 0.6 } },
        {
          name: `${kind}, p95 of searches, of idle`,
          value: busyP95 / idleP95,
          unit: "×",
          target: { atMost: 2 },
        },
        { name: `${kind}, p95 of searches idle`, value: idleP95, unit: "ms" },
        { name: `${kind}, p95 of searches meanwhile`, value: busyP95, unit: "ms" },
      );
    }
    return figures;
  },
};

/** Sends one search after the other until there is none. Returns their times in milliseconds. */
async function searchOneByOne(port: number, next: () => Uint8Array | undefined): Promise<number[]> {
  const times: number[] = [];
  for (let request = next(); request; request = next()) {
    times.push((await load({ port, request, connections: 1, maxRequests: 1 })).p50);
  }
  return times;
}
