/**
 * Clients that send requests and do not read the responses.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Attack, Check } from "./attack.ts";
import { eventually } from "./eventually.ts";
import { MemoryWatch, processTree } from "./process_tree.ts";
import { exchange, latency, mcpRequest, PING } from "./requests.ts";

const MiB = 2 ** 20;
const CLIENTS = 16;
/** Resident memory while responses wait for their clients, in MiB. */
const MAX_PEAK_MIB = 250;
/** Maximum time until the server closes a connection whose client does not read. */
const CLOSED_WITHIN_MS = 75_000;

/** Sends a request many times on each of 16 connections, reads nothing and waits until all are closed. */
async function withoutReading(attack: Attack, server: ServerProcess, request: string, times: number) {
  const before = (await processTree(server.pid)).descriptors;
  await using watch = new MemoryWatch(server.pid);
  const started = performance.now();
  for (let i = 0; i < CLIENTS; i++) {
    const connection = await attack.connect(server);
    // Not awaited: the server stops reading requests when it cannot send responses.
    connection.send(request.repeat(times)).catch(() => {});
  }
  await eventually(
    async () => (await processTree(server.pid)).descriptors,
    (descriptors) => descriptors >= before + CLIENTS,
    { timeoutMs: 10_000, description: `${before + CLIENTS} open descriptors` },
  );
  const other = await latency(server, PING);
  await eventually(
    async () => (await processTree(server.pid)).descriptors,
    // Some files of the program itself are opened late.
    (descriptors) => descriptors <= before + 10,
    { timeoutMs: CLOSED_WITHIN_MS, description: `at most ${before + 10} open descriptors` },
  );
  const figures = `${CLIENTS} connections closed after ${
    ((performance.now() - started) / 1000).toFixed(0)
  } s, peak ${watch.peakMiB.toFixed(0)} MiB, another client's ping ${other.toFixed(0)} ms`;
  if (watch.peakMiB > MAX_PEAK_MIB) throw new Error(`RSS must stay below ${MAX_PEAK_MIB} MiB: ${figures}`);
  return figures;
}

const pipelined: Check = {
  name: "slow-readers",
  isWaiting: true,
  async run(attack) {
    const server = await attack.serve();
    const request = mcpRequest("tools/list");
    const { body } = await exchange(server, request);
    // More than the socket buffers of both sides hold.
    const times = Math.ceil(24 * MiB / body.length);
    return await withoutReading(attack, server, request, times);
  },
};

const echo: Check = {
  name: "echoed-id",
  async run(attack) {
    const server = await attack.serve();
    await using watch = new MemoryWatch(server.pid);
    const request = mcpRequest("ping", {}, "i".repeat(7.9 * MiB));
    const { status, body } = await exchange(server, request);
    if (body.length > 2048) {
      throw new Error(`an id of 7.9 MiB must not be echoed, got ${body.length} characters`);
    }
    const longest = await exchange(server, mcpRequest("ping", {}, "i".repeat(1000)));
    if (longest.status !== 200) {
      throw new Error(`an id of 1,000 characters expected 200, got ${longest.status}`);
    }
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      const connection = await attack.connect(server);
      await connection.send(request).catch(() => {});
    }));
    const figures = `status ${status}: ${body.slice(0, 120)}; ${CLIENTS} clients, peak ${
      watch.peakMiB.toFixed(0)
    } MiB`;
    if (watch.peakMiB > 400) throw new Error(`RSS must stay below 400 MiB: ${figures}`);
    return figures;
  },
};

/** Attacks by clients that do not read. */
export const slowReaders: readonly Check[] = [pipelined, echo];
