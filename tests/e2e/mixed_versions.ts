// deno-lint-ignore-file no-console -- its findings, for the test that started it
/**
 * Fifty clients of both eras at once, who all number their requests alike and cancel a third of them; in a process of
 * its own, so that its file descriptors can be counted. Prints what it found as JSON.
 *
 * @module
 */
import { z } from "zod";
import { createApp } from "../../src/http/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { openDispatcher } from "../support/dispatcher.ts";
import { CLIENT_META } from "../support/messages.ts";
import { type Random, seededRandom } from "../support/random.ts";

const CLIENTS = 50;
const ROUNDS = 20;

/** What came of it. */
export interface Findings {
  /** Calls that got the answer to what they asked. */
  own: number;
  /** Calls that were answered something else, or should not have been answered. */
  foreign: number;
  cancelled: number;
  calls: number;
  /** Exchanges left in the table when all was over, and tools still running. */
  pending: number;
  running: number;
  /** Open file descriptors before and after; null where the system does not list them. */
  files: readonly [number, number] | null;
}

/** Answers what it was given, some calls later than others, so that answers overtake one another. */
const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Answers what it was given.",
  input: z.strictObject({ text: z.string(), turns: z.int() }),
  output: z.object({ text: z.string() }),
  annotations,
  run: async ({ text, turns }) => {
    for (let i = 0; i < turns; i++) await Promise.resolve();
    return { text };
  },
});

/** A tool that waits until its call is cancelled. */
class Holding {
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

  /** Resolves once the call that carries `text` runs. */
  arrival(text: string): Promise<void> {
    return this.#arrival(text).promise;
  }

  #arrival(text: string): PromiseWithResolvers<void> {
    const known = this.#arrivals.get(text) ?? Promise.withResolvers<void>();
    this.#arrivals.set(text, known);
    return known;
  }
}

interface Table {
  readonly send: (
    body: unknown,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ) => Promise<Response>;
  readonly hold: Holding;
  readonly random: Random;
  readonly findings: Pick<Findings, "own" | "foreign" | "cancelled">;
}

/** One client; all its requests have the id 1, as those of all others. */
async function play(client: number, { send, hold, random, findings }: Table): Promise<void> {
  const isModern = client % 2 === 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = `client ${client}, round ${round}`;
    const name = random.int(3) === 0 ? "hold" : "echo";
    // Longer bodies come in a packet of their own, which the server notices otherwise.
    const padding = "x".repeat(random.pick([0, 0, 5000]));
    const _meta = { ...(isModern && CLIENT_META), ...(random.int(2) === 0 && { progressToken: 1 }), padding };
    const params = { name, arguments: { text, turns: random.int(50) }, _meta };
    const headers: Record<string, string> = isModern
      ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name }
      : { "mcp-protocol-version": "2025-11-25", "mcp-session-id": `session-${client}` };
    const abort = new AbortController();
    const call = send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers, abort.signal);
    if (name === "echo") {
      const answer = await (await call).json();
      const isOwn = answer.id === 1 && answer.result?.structuredContent?.text === text;
      findings[isOwn ? "own" : "foreign"]++;
      continue;
    }
    await hold.arrival(text);
    if (isModern) {
      abort.abort();
      await call.then((response) => response.body?.cancel(), () => {});
    } else {
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
      await (await send(cancel, headers)).body?.cancel();
      // No response may come for it.
      if (await (await call).text() !== "") findings.foreign++;
    }
    findings.cancelled++;
  }
}

/** Starts a server, lets the clients play, and stops it. */
async function table(clients: number, random: Random): Promise<Omit<Findings, "files">> {
  const findings = { own: 0, foreign: 0, cancelled: 0, calls: clients * ROUNDS, pending: -1, running: -1 };
  const hold = new Holding();
  await using mcp = await openDispatcher([echo as unknown as Tool, hold.tool]);
  using app = createApp({
    dispatcher: mcp.dispatcher,
    uploads: mcp.uploads,
    log: silentLogger,
    tokens: [],
    isAllowedHost: () => true,
    isAllowedOrigin: () => false,
    maxBodyBytes: 2 ** 20,
    bodyTimeoutMs: 60_000,
    maxConcurrent: 1000,
    publicUrl: undefined,
    checkReadiness: () => Promise.resolve(true),
  });
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  using client = Deno.createHttpClient({});
  const send: Table["send"] = (body, headers, signal) =>
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
    Array.from({ length: clients }, (_, number) => play(number, { send, hold, random, findings })),
  );
  // A client that went away is noticed some milliseconds later; the test that started this bounds the wait.
  while (mcp.dispatcher.pending > 0 || hold.running > 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { ...findings, pending: mcp.dispatcher.pending, running: hold.running };
}

async function main(): Promise<void> {
  const random = seededRandom(Number(Deno.args[0]));
  // The first time, the runtime opens some descriptors of its own, which it keeps.
  await table(CLIENTS, random);
  const before = openFiles();
  const findings = await table(CLIENTS, random);
  // The system closes sockets in its own time; what is still open after seconds is leaked.
  let after = openFiles();
  for (let i = 0; i < 200 && after !== null && before !== null && after > before; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    after = openFiles();
  }
  const files = before === null || after === null ? null : [before, after] as const;
  console.log(JSON.stringify({ ...findings, files } satisfies Findings));
}

function openFiles(): number | null {
  return Deno.build.os === "linux" ? [...Deno.readDirSync("/proc/self/fd")].length : null;
}

if (import.meta.main) await main();
