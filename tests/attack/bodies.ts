/**
 * Request bodies that are announced and never sent, refused, or as large as the server accepts.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { quantile } from "../bench/measure.ts";
import type { Attack, Check } from "./attack.ts";
import { MemoryWatch, residentMiB } from "./process_tree.ts";
import { exchange, HEALTH, latency, mcpRequest, PING, requestHead } from "./requests.ts";

const MiB = 2 ** 20;
/** Default of `KB_MCP_MAX_BODY`. */
const MAX_BODY = 8 * MiB;
/** Resident memory during any attack on bodies, which are bounded by a budget, in MiB. */
const MAX_PEAK_MIB = 400;
/** Latency for other clients during an attack: far above a busy machine's, far below a stall. */
const MAX_LATENCY_MS = 2000;

/** Capacity of the socket buffers on both sides with the defaults of Linux, rounded up, in MiB. */
const KERNEL_BUFFERS_MIB = 12;
/** Bytes of a refused body that the server reads and drops, so that its response is not lost, in MiB. */
const DROPPED_MIB = 64;

/** Sends requests of another client, one after the other, until it is stopped. */
class Bystander implements AsyncDisposable {
  readonly latencies: number[] = [];
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(server: ServerProcess, request: string) {
    this.#running = (async () => {
      while (!this.#stop.signal.aborted) {
        try {
          this.latencies.push(await latency(server, request));
        } catch (error) {
          this.failures.push(String(error));
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
  }

  /** Stops, and checks that every request was answered in time. */
  async verdict(name: string): Promise<string> {
    await this[Symbol.asyncDispose]();
    const max = Math.max(0, ...this.latencies);
    const figures = `${name} p50 ${quantile(this.latencies, 0.5).toFixed(0)} ms, max ${
      max.toFixed(0)
    } ms of ${this.latencies.length + this.failures.length}`;
    if (this.failures.length > 0) {
      throw new Error(`${this.failures.length} of another client's requests failed, ${this.failures[0]}`);
    }
    if (max > MAX_LATENCY_MS) throw new Error(`another client waited too long: ${figures}`);
    return figures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function checkPeak(peakMiB: number, figures: string): void {
  if (peakMiB > MAX_PEAK_MIB) throw new Error(`RSS must stay below ${MAX_PEAK_MIB} MiB: ${figures}`);
}

const announced: Check = {
  name: "announced-bodies",
  async run(attack) {
    const server = await attack.serve({ env: { KB_MCP_BODY_TIMEOUT: "3s" } });
    const idleMiB = await residentMiB(server.pid);
    await using watch = new MemoryWatch(server.pid);
    await using health = new Bystander(server, HEALTH);
    await using pings = new Bystander(server, PING);
    const head = requestHead({ path: "/mcp", length: MAX_BODY });
    for (let wave = 0; wave < 5; wave++) {
      await Promise.all(Array.from({ length: 250 }, async () => {
        const connection = await attack.connect(server);
        try {
          await connection.send(head);
          await connection.response(10_000);
        } catch {
          // The server has closed the connection.
        }
        connection.close();
      }));
    }
    const figures = `RSS ${idleMiB.toFixed(0)} → ${watch.peakMiB.toFixed(0)} MiB`;
    const verdicts = await Promise.allSettled([health.verdict("/healthz"), pings.verdict("ping")]);
    checkPeak(watch.peakMiB, figures);
    for (const result of verdicts) if (result.status === "rejected") throw result.reason;
    return [figures, ...verdicts.map((result) => result.status === "fulfilled" ? result.value : "")].join(
      ", ",
    );
  },
};

const half: Check = {
  name: "half-sent-bodies",
  async run(attack) {
    const server = await attack.serve({ env: { KB_MCP_BODY_TIMEOUT: "3s" } });
    const idleMiB = await residentMiB(server.pid);
    await using watch = new MemoryWatch(server.pid);
    await using pings = new Bystander(server, PING);
    const bytes = new TextEncoder().encode(requestHead({ path: "/mcp", length: MAX_BODY }));
    const half = new Uint8Array(bytes.byteLength + MAX_BODY / 2).fill(32);
    half.set(bytes);
    const statuses = new Map<number, number>();
    await Promise.all(Array.from({ length: attack.long ? 250 : 60 }, async () => {
      const connection = await attack.connect(server);
      const sending = connection.send(half).catch(() => {});
      const { status } = await connection.response(15_000).catch(() => ({ status: 0 }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      connection.close();
      await sending;
    }));
    const figures = `RSS ${idleMiB.toFixed(0)} → ${watch.peakMiB.toFixed(0)} MiB, statuses ${
      [...statuses].map(([status, n]) => `${n} × ${status || "closed"}`).join(", ")
    }`;
    checkPeak(watch.peakMiB, figures);
    return `${figures}, ${await pings.verdict("ping")}`;
  },
};

/** Sends up to 100 MiB after a head, and returns how many MiB the connection took until it ended. */
async function accepted(attack: Attack, server: ServerProcess, head: string): Promise<number> {
  const connection = await attack.connect(server);
  const chunk = new Uint8Array(MiB / 4);
  let sent = 0;
  try {
    await connection.send(head);
    await connection.response(10_000);
    while (sent < 100 * MiB) {
      const sending = connection.send(chunk);
      sending.catch(() => {});
      // A connection that takes nothing for seconds is as good as closed.
      const timer = Promise.withResolvers<never>();
      const handle = setTimeout(() => timer.reject(new Error("blocked")), 5000);
      await Promise.race([sending, timer.promise]).finally(() => clearTimeout(handle));
      sent += chunk.byteLength;
    }
  } catch {
    // The server has closed the connection.
  }
  connection.close();
  return sent / MiB;
}

const refused: Check = {
  name: "bytes-after-refusal",
  async run(attack) {
    const server = await attack.serve();
    const cases = {
      401: requestHead({ path: "/mcp", length: 100 * MiB, token: null }),
      404: requestHead({ path: "/nothing", length: 100 * MiB }),
      413: requestHead({ path: "/mcp", length: 100 * MiB }),
    };
    const figures: string[] = [];
    let most = 0;
    for (const [status, head] of Object.entries(cases)) {
      const sent = await accepted(attack, server, head);
      figures.push(`${status}: ${sent.toFixed(1)} MiB`);
      most = Math.max(most, sent);
    }
    const limit = DROPPED_MIB + KERNEL_BUFFERS_MIB;
    if (most > limit) throw new Error(`the server must stop reading, got ${figures.join(", ")}`);
    return figures.join(", ");
  },
};

const arrays: Check = {
  name: "refused-arrays",
  async run(attack) {
    const server = await attack.serve();
    const body = `[${"1,".repeat(Math.floor(7.8 * MiB / 2) - 1)}1]`;
    const request = new TextEncoder().encode(
      requestHead({ path: "/mcp", length: body.length, headers: { connection: "close" } }) + body,
    );
    const count = attack.long ? 500 : 120;
    await using watch = new MemoryWatch(server.pid);
    await using pings = new Bystander(server, PING);
    const statuses = new Set<string>();
    // A response can be lost to the reset that follows an early refusal.
    const send = () => exchange(server, request).then(({ status }) => String(status), () => "closed");
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let i = 0; i < count / 4; i++) statuses.add(await send());
    }));
    const figures = `${count} arrays: statuses ${[...statuses].join(", ")}, peak ${
      watch.peakMiB.toFixed(0)
    } MiB`;
    checkPeak(watch.peakMiB, figures);
    return `${figures}, ${await pings.verdict("ping")}`;
  },
};

const large: Check = {
  name: "large-bodies",
  async run(attack) {
    const server = await attack.serve();
    const idle: number[] = [];
    for (let i = 0; i < 50; i++) idle.push(await latency(server, PING));
    const text = "a".repeat(Math.floor(7.9 * MiB));
    const request = new TextEncoder().encode(
      mcpRequest("tools/call", { name: "kb_addnote", arguments: { text } }),
    );
    await using watch = new MemoryWatch(server.pid);
    await using pings = new Bystander(server, PING);
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 5; i++) await exchange(server, request).catch(() => {});
    }));
    const figures = `peak ${watch.peakMiB.toFixed(0)} MiB, idle ping p50 ${
      quantile(idle, 0.5).toFixed(1)
    } ms`;
    checkPeak(watch.peakMiB, figures);
    return `${figures}, ${await pings.verdict("ping")}`;
  },
};

const expectation: Check = {
  name: "expect-continue",
  async run(attack) {
    const server = await attack.serve();
    const [head = "", body = ""] = PING.split("\r\n\r\n");
    const waiting = `${head}\r\nexpect: 100-continue\r\n\r\n`;
    const accepted = await attack.connect(server);
    await accepted.send(waiting);
    const first = await accepted.response(10_000);
    if (first.status !== 100) throw new Error(`expected status 100, got ${first.status}`);
    await accepted.send(body);
    const { status } = await accepted.response(10_000);
    if (status !== 200) throw new Error(`after the body expected status 200, got ${status}`);
    const unauthorized = await attack.connect(server);
    await unauthorized.send(waiting.replace(/authorization: .*\r\n/, ""));
    const refusal = await unauthorized.response(10_000);
    if (refusal.status !== 401) throw new Error(`without a token expected status 401, got ${refusal.status}`);
    return "100 then 200 with a token, 401 at once without";
  },
};

/** Attacks on request bodies. */
export const bodies: readonly Check[] = [announced, half, refused, arrays, large, expectation];
