/**
 * MCP servers on the official SDKs of Rust, Go, Python and TypeScript, for comparison with kb-mcp: `deno task
 * bench:peers` builds them into `dist/peers`, and `protocol.ts` measures those that are built.
 *
 * Each one serves the benchmark's tool `noop` over Streamable HTTP, stateless and with JSON responses, and
 * compares the bearer token with a constant. Each uses the lowest-level API that its SDK documents, except
 * for TypeScript, which follows the SDK's stateless example on Express. None has kb-mcp's other tools,
 * limits, logs or metrics. Rust uses all cores; kb-mcp and the other peers handle requests on one thread.
 *
 * @module
 */
import { print } from "../../scripts/print.ts";
import { ServerProcess } from "../../scripts/server_process.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** A server to compare with. */
export interface Peer {
  /** Name of the folder of its sources, `tests/bench/peers/NAME`. */
  readonly name: string;
  /** The calls it supports: TypeScript's SDK on Express stops at 2025-11-25. */
  readonly requests: readonly ("call2025" | "call2026")[];
  /** Commands that build it from the copy of its sources in a folder. */
  build(folder: string): readonly (readonly string[])[];
  /** Command that starts it from this folder; the port is its last argument. */
  run(folder: string): readonly string[];
}

/** All peers, fastest first. */
export const PEERS: readonly Peer[] = [
  {
    name: "rust",
    requests: ["call2025", "call2026"],
    build: (
      folder,
    ) => [["cargo", "build", "--quiet", "--release", "--manifest-path", `${folder}/Cargo.toml`]],
    run: (folder) => [`${folder}/target/release/peer`],
  },
  {
    name: "go",
    requests: ["call2025", "call2026"],
    build: (folder) => [["go", "-C", folder, "build", "-o", "peer", "."]],
    run: (folder) => [`${folder}/peer`],
  },
  {
    name: "python",
    requests: ["call2025", "call2026"],
    build: (folder) => [
      ["python3", "-m", "venv", `${folder}/venv`],
      [`${folder}/venv/bin/pip`, "install", "--quiet", "--requirement", `${folder}/requirements.txt`],
    ],
    run: (folder) => [`${folder}/venv/bin/python`, `${folder}/main.py`],
  },
  {
    name: "typescript",
    requests: ["call2025"],
    build: (folder) => [
      // Where there is no Node.js, Deno runs `node` itself.
      ["node", "--eval", "if (process.versions.deno) throw new Error('Node.js is not installed')"],
      ["deno", "bundle", "--quiet", "-o", `${folder}/main.mjs`, `${folder}/main.ts`],
    ],
    run: (folder) => ["node", `${folder}/main.mjs`],
  },
];

/** Returns the folder in which a peer is built and run. */
export function folderOf({ name }: Peer): string {
  return `${ROOT}dist/peers/${name}`;
}

/** Returns the path of the empty file that marks a complete build. */
export function markerOf(peer: Peer): string {
  return `${folderOf(peer)}/built`;
}

/** Peers that listen. Disposing stops them. */
export interface RunningPeers extends AsyncDisposable {
  /** The calls to measure. */
  readonly cases: readonly PeerCase[];
}

/** One call of one peer. */
export interface PeerCase {
  readonly name: string;
  readonly server: { readonly port: number };
  readonly request: "call2025" | "call2026";
}

/** Starts all peers that are built, and prints which ones are not. */
export async function startPeers(): Promise<RunningPeers> {
  await using started = new AsyncDisposableStack();
  const cases: PeerCase[] = [];
  for (const peer of PEERS) {
    if (!await isBuilt(peer)) {
      print(`peer ${peer.name}: skipped: not built (deno task bench:peers)`);
      continue;
    }
    const directory = folderOf(peer);
    const server = started.use(
      await ServerProcess.start({ command: [...peer.run(directory), "0"], directory, env: {} }),
    );
    const port = Number(new URL(server.url).port);
    for (const request of peer.requests) {
      const version = request === "call2025" ? "2025-11-25" : "2026-07-28";
      cases.push({ name: `peer ${peer.name}, ${version}`, server: { port }, request });
    }
  }
  const running = started.move();
  return { cases, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function isBuilt(peer: Peer): Promise<boolean> {
  try {
    await Deno.stat(markerOf(peer));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
