/**
 * Connections that are opened and not used as HTTP intends. No attack here has a token.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Attack, Check } from "./attack.ts";
import { eventually } from "./eventually.ts";
import { processTree } from "./process_tree.ts";
import type { RawConnection } from "./raw_connection.ts";
import { HEALTH, latency, PING, requestHead } from "./requests.ts";

/** Maximum time until the server closes a connection without a whole request. */
const CLOSED_WITHIN_MS = 75_000;

/** The same for a connection that is kept alive between requests. */
const IDLE_CLOSED_WITHIN_MS = 150_000;

/** Opens connections; those that the server refuses are left out. */
async function open(attack: Attack, server: ServerProcess, count: number): Promise<RawConnection[]> {
  const attempts = await Promise.allSettled(Array.from({ length: count }, () => attack.connect(server)));
  return attempts.filter((attempt) => attempt.status === "fulfilled").map(({ value }) => value);
}

/** Waits until the server has closed all of these connections, and returns how long it took. */
async function closed(connections: readonly RawConnection[], timeoutMs = CLOSED_WITHIN_MS): Promise<string> {
  const started = performance.now();
  const results = await Promise.all(
    connections.map((connection) => connection.isClosedWithin(timeoutMs)),
  );
  const open = results.filter((isClosed) => !isClosed).length;
  if (open > 0) {
    throw new Error(`${open} of ${connections.length} connections are open after ${timeoutMs / 1000} s`);
  }
  return `${connections.length} closed after ${((performance.now() - started) / 1000).toFixed(0)} s`;
}

/** Waits until another client gets a response, and returns its latency. */
async function servesOthers(server: ServerProcess, request: string): Promise<string> {
  const started = performance.now();
  await eventually(
    () => latency(server, request).then(() => "response", (error) => String(error)),
    (result) => result === "response",
    { timeoutMs: CLOSED_WITHIN_MS, description: "a response for another client" },
  );
  return `another client served after ${(performance.now() - started).toFixed(0)} ms`;
}

/** Waits until the process has at most as many descriptors as before, apart from a few of its own files. */
async function descriptorsReturn(server: ServerProcess, before: number): Promise<string> {
  const descriptors = await eventually(
    async () => (await processTree(server.pid)).descriptors,
    (now) => now <= before + 10,
    { timeoutMs: 10_000, description: `at most ${before + 10} descriptors` },
  );
  return `descriptors ${before} → ${descriptors}`;
}

/** As many silent connections as the process may open descriptors. */
function idle(role: "serve" | "engine"): Check {
  return {
    name: `idle-connections-${role}`,
    async run(attack) {
      const server = await attack[role]({ openFiles: 1024 });
      const before = (await processTree(server.pid)).descriptors;
      const connections = await open(attack, server, 1018);
      const others = await servesOthers(server, role === "serve" ? PING : HEALTH);
      return [await closed(connections), others, await descriptorsReturn(server, before)].join(", ");
    },
  };
}

const slowloris: Check = {
  name: "slow-heads",
  async run(attack) {
    const server = await attack.serve();
    const before = (await processTree(server.pid)).descriptors;
    const connections = await open(attack, server, 1000);
    const dribbling = new AbortController();
    const dribble = async (connection: RawConnection) => {
      try {
        await connection.send("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ");
        while (!dribbling.signal.aborted) {
          await connection.send("a");
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
      } catch {
        // The server has closed the connection.
      }
    };
    const senders = connections.map(dribble);
    try {
      const others = await servesOthers(server, PING);
      const result = await closed(connections);
      return [result, others, await descriptorsReturn(server, before)].join(", ");
    } finally {
      dribbling.abort();
      await Promise.all(senders);
    }
  },
};

const keepAlive: Check = {
  name: "idle-after-response",
  isWaiting: true,
  timeoutMs: 180_000,
  async run(attack) {
    const server = await attack.serve();
    const connections = await open(attack, server, 100);
    for (const connection of connections) {
      await connection.send(HEALTH);
      const { status } = await connection.response();
      if (status !== 200) throw new Error(`/healthz expected status 200, got ${status}`);
    }
    return await closed(connections, IDLE_CLOSED_WITHIN_MS);
  },
};

const limit: Check = {
  name: "connection-limit",
  async run(attack) {
    const server = await attack.serve({ env: { KB_MCP_MAX_CONNECTIONS: "50" } });
    const before = (await processTree(server.pid)).descriptors;
    const idle = await open(attack, server, 200);
    // Waiting connections make way for one that sends a request.
    const others = await servesOthers(server, PING);
    const descriptors = (await processTree(server.pid)).descriptors;
    if (descriptors > before + 60) {
      throw new Error(`50 connections are the limit, got ${descriptors - before}`);
    }
    idle.forEach((connection) => connection.close());

    const busy = await open(attack, server, 50);
    for (const connection of busy) await connection.send(requestHead({ path: "/mcp", length: 100 }) + "{");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const excess = await attack.connect(server);
    await excess.send(HEALTH).catch(() => {});
    const status = await excess.response(5000).then(({ status }) => status, () => "closed");
    if (status === 200) throw new Error("connection 51 was served while 50 requests were in progress");
    busy.forEach((connection) => connection.close());
    return `200 idle: ${others}; 50 busy: connection 51 got ${status}, then ${await servesOthers(
      server,
      PING,
    )}`;
  },
};

const http2: Check = {
  name: "http2-preface",
  async run(attack) {
    const server = await attack.serve();
    const connection = await attack.connect(server);
    // An empty SETTINGS frame follows the preface (RFC 9113 §3.4).
    await connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    const { status, body } = await connection.response(5000);
    if (status !== 505) throw new Error(`expected status 505, got ${status}: ${body}`);
    if (!await connection.isClosedWithin(5000)) throw new Error("the connection stays open");
    return `status 505: ${body.trim()}`;
  },
};

const halfOpen: Check = {
  name: "half-closed",
  async run(attack) {
    const server = await attack.serve();
    const whole = await attack.connect(server);
    await whole.send(PING);
    await whole.closeWrite();
    const { status } = await whole.response();
    if (status !== 200) {
      throw new Error(`a request before the end of the stream expected status 200, got ${status}`);
    }
    const connections = [whole, ...await open(attack, server, 100)];
    for (const connection of connections.slice(1)) {
      await connection.send(requestHead({ path: "/mcp", length: 1000 }) + "{");
      await connection.closeWrite();
    }
    return `${await closed(connections)}, ${await servesOthers(server, PING)}`;
  },
};

const resets: Check = {
  name: "reset-storm",
  async run(attack) {
    const server = await attack.serve();
    const before = (await processTree(server.pid)).descriptors;
    const count = attack.long ? 20_000 : 2000;
    for (let sent = 0; sent < count; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, async (_, i) => {
        const connection = await attack.connect(server);
        await connection.send(i % 2 === 0 ? PING : requestHead({ path: "/mcp", length: 1000 }));
        // Closing with an unread response, or in the middle of a request, resets the connection.
        await new Promise((resolve) => setTimeout(resolve, i % 10));
        connection.close();
      }));
    }
    return `${count} resets, ${await servesOthers(server, PING)}, ${await descriptorsReturn(server, before)}`;
  },
};

const garbage: Check = {
  name: "garbage-bytes",
  async run(attack) {
    const server = await attack.serve();
    const before = (await processTree(server.pid)).descriptors;
    const count = attack.long ? 5000 : 500;
    const results = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const connection = await attack.connect(server);
      const bytes = crypto.getRandomValues(new Uint8Array(1 + (i * 37) % 4096));
      // Every other one begins like a request.
      const start = i % 2 === 0 ? "" : PING.slice(0, i % PING.length);
      try {
        await connection.send(start);
        await connection.send(bytes);
        await connection.closeWrite();
      } catch {
        // The server has closed the connection.
      }
      const result = await connection.response(10_000).then(({ status }) => String(status), () => "closed");
      results.set(result, (results.get(result) ?? 0) + 1);
      connection.close();
    }
    const statuses = [...results].map(([result, n]) => `${n} × ${result}`).join(", ");
    if (results.has("500")) throw new Error(`garbage must not cause status 500: ${statuses}`);
    return [statuses, await servesOthers(server, PING), await descriptorsReturn(server, before)].join(", ");
  },
};

/** Attacks on connections and on the framing of HTTP. */
export const connections: readonly Check[] = [
  idle("serve"),
  idle("engine"),
  slowloris,
  keepAlive,
  limit,
  http2,
  halfOpen,
  resets,
  garbage,
];
