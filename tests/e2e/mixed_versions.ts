// deno-lint-ignore-file no-console -- prints its results for the test that started it
/**
 * Fifty concurrent clients of both protocol versions, which all use the same request id and cancel a third of
 * their calls. Runs in its own process, so that its file descriptors can be counted. Prints the results as
 * JSON.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { createTestApp } from "../support/app.ts";
import { openDispatcher } from "../support/dispatcher.ts";
import { CLIENT_META } from "../support/messages.ts";
import { plainHandler } from "../support/plain_handler.ts";
import { type Random, seededRandom } from "../support/random.ts";

const CLIENTS = 50;
const ROUNDS = 20;

/** Results of a run. */
export interface RunResult {
  /** Calls that got their own response. */
  own: number;
  /** Calls that got the response of another call, or a response after their cancellation. */
  foreign: number;
  cancelled: number;
  calls: number;
  /** Pending requests and running tools at the end. */
  pending: number;
  running: number;
  /** Open file descriptors before and after; null where the system does not list them. */
  files: readonly [number, number] | null;
}

/** Returns its input after a varying delay, so that responses overtake each other. */
const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Returns its input.",
  scope: "read",
  input: z.strictObject({ text: z.string(), turns: z.int() }),
  output: z.object({ text: z.string() }),
  annotations,
  run: async ({ text, turns }) => {
    for (let i = 0; i < turns; i++) await Promise.resolve();
    return { text };
  },
});

/** A tool whose calls wait until they are cancelled. */
class HoldTool {
  readonly #arrivals = new Map<string, PromiseWithResolvers<void>>();
  running = 0;

  readonly tool = {
    ...echo,
    name: "hold",
    run: ({ text }: { text: string }, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        this.running++;
        signal.addEventListener("abort", () => {
          this.running--;
          reject(signal.reason);
        });
        this.#arrival(text).resolve();
      }),
  } as unknown as Tool;

  /** Resolves when the call with `text` runs. */
  arrival(text: string): Promise<void> {
    return this.#arrival(text).promise;
  }

  #arrival(text: string): PromiseWithResolvers<void> {
    const arrival = this.#arrivals.get(text) ?? Promise.withResolvers<void>();
    this.#arrivals.set(text, arrival);
    return arrival;
  }
}

interface Environment {
  readonly send: (
    body: unknown,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ) => Promise<Response>;
  readonly hold: HoldTool;
  readonly random: Random;
  readonly counts: Pick<RunResult, "own" | "foreign" | "cancelled">;
}

/** Runs one client. All requests of all clients have the id 1. */
async function runClient(client: number, { send, hold, random, counts }: Environment): Promise<void> {
  const isStateless = client % 2 === 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = `client ${client}, round ${round}`;
    const name = random.int(3) === 0 ? "hold" : "echo";
    // A long body arrives in its own packet, which changes how Deno notices a disconnect.
    const padding = "x".repeat(random.pick([0, 0, 5000]));
    const _meta = {
      ...(isStateless && CLIENT_META),
      ...(random.int(2) === 0 && { progressToken: 1 }),
      padding,
    };
    const params = { name, arguments: { text, turns: random.int(50) }, _meta };
    const headers: Record<string, string> = isStateless
      ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name }
      : { "mcp-protocol-version": "2025-11-25", "mcp-session-id": `session-${client}` };
    const abort = new AbortController();
    const call = send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers, abort.signal);
    if (name === "echo") {
      const response = await (await call).json();
      const isOwn = response.id === 1 && response.result?.structuredContent?.text === text;
      counts[isOwn ? "own" : "foreign"]++;
      continue;
    }
    await hold.arrival(text);
    if (isStateless) {
      abort.abort();
      await call.then((response) => response.body?.cancel(), () => {});
    } else {
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
      await (await send(cancel, headers)).body?.cancel();
      // A cancelled call must have no response.
      if (await (await call).text() !== "") counts.foreign++;
    }
    counts.cancelled++;
  }
}

/** Runs all clients against a new server. */
async function runClients(clients: number, random: Random): Promise<Omit<RunResult, "files">> {
  const counts = { own: 0, foreign: 0, cancelled: 0, calls: clients * ROUNDS, pending: -1, running: -1 };
  const hold = new HoldTool();
  await using mcp = await openDispatcher([echo as unknown as Tool, hold.tool]);
  const { dispatcher, uploads } = mcp;
  const app = createTestApp({ dispatcher, uploads, maxBodyBytes: 2 ** 20, maxConcurrent: 1000 });
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, plainHandler(app.fetch));
  using client = Deno.createHttpClient({});
  const send: Environment["send"] = (body, headers, signal) =>
    fetch(`http://127.0.0.1:${server.addr.port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
      client,
      ...(signal && { signal }),
    });
  await Promise.all(
    Array.from({ length: clients }, (_, number) => runClient(number, { send, hold, random, counts })),
  );
  // The server notices a disconnect after some milliseconds. The test limits the wait.
  while (mcp.dispatcher.pending > 0 || hold.running > 0) {
    await delay(5);
  }
  return { ...counts, pending: mcp.dispatcher.pending, running: hold.running };
}

async function main(): Promise<void> {
  const random = seededRandom(Number(Deno.args[0]));
  // During the first run the runtime opens some descriptors, which it keeps.
  await runClients(CLIENTS, random);
  const before = openFiles();
  const result = await runClients(CLIENTS, random);
  // The system closes sockets with a delay. Descriptors that are still open after seconds are leaked.
  let after = openFiles();
  for (let i = 0; i < 200 && after !== null && before !== null && after > before; i++) {
    await delay(20);
    after = openFiles();
  }
  const files = before === null || after === null ? null : [before, after] as const;
  console.log(JSON.stringify({ ...result, files } satisfies RunResult));
}

function openFiles(): number | null {
  return Deno.build.os === "linux" ? [...Deno.readDirSync("/proc/self/fd")].length : null;
}

if (import.meta.main) await main();
