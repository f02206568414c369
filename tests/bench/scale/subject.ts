import { cp } from "node:fs/promises";
import { resolve } from "node:path";
import { RUN_PERMISSIONS, RUNTIME_FLAGS } from "../../../scripts/permissions.ts";
import { runCommand } from "../../../scripts/run_command.ts";
import { ServerProcess } from "../../../scripts/server_process.ts";
import { memoryOf, type ProcessMemory, processorMs } from "../measure.ts";
import type { ScaleQueries } from "./queries.ts";

/** A checkout of kb-mcp to measure, as a bundle, with data directories in its format. */
export interface Subject {
  readonly name: string;
  /** Root of the checkout. */
  readonly root: string;
  /** Directory of the data directories that `build.ts` made. */
  readonly data: string;
}

/** A started program. Disposing kills it. */
export interface RunningProgram extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  memory(): Promise<ProcessMemory>;
  /** Processor time so far in milliseconds. */
  processorMs(): Promise<number>;
  /** Ends the program as an operator would, so that it closes the database. */
  stop(): Promise<void>;
}

/** Bundles a checkout, unless it has a bundle and `isKept`. */
export async function bundleSubject(
  { root }: Subject,
  { isKept }: { readonly isKept: boolean },
): Promise<void> {
  const bundle = `${root}/dist/kb-mcp/main.js`;
  if (isKept && await Deno.stat(bundle).then(() => true, () => false)) return;
  const { code, output } = await runCommand(["sh", "-c", `cd "$1" && deno task bundle`, "sh", root]);
  if (code !== 0) throw new Error(`Cannot bundle ${root}:\n${output}`);
}

/** Starts `kb-mcp engine` or `kb-mcp serve`, without an embedding model unless `env` has one. */
export async function startProgram(
  { root }: Subject,
  kind: "engine" | "serve",
  dataDir: string,
  env: Record<string, string> = {},
): Promise<RunningProgram> {
  const server = await ServerProcess.start({
    command: [
      Deno.execPath(),
      "run",
      "--no-config",
      ...RUN_PERMISSIONS,
      ...RUNTIME_FLAGS,
      resolve(`${root}/dist/kb-mcp/main.js`),
      kind,
    ],
    directory: dataDir,
    env: {
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      KB_MCP_PORT: "0",
      KB_ENGINE_PORT: "0",
      KB_EMBEDDINGS_MODEL: "off",
      KB_LOG_LEVEL: "error",
      KB_DATA_DIR: dataDir,
      KB_MAX_QUEUED_JOBS: "1000000",
      ...env,
    },
  });
  return {
    port: Number(new URL(server.url).port),
    url: server.url,
    memory: () => memoryOf(server.pid),
    processorMs: () => processorMs(server.pid),
    stop: async () => void await server.terminate(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns the subdirectory of a number of chunks. */
export function sizeName(chunks: number): string {
  return chunks % 1000 === 0 ? `${chunks / 1000}k` : String(chunks);
}

/** A temporary directory. Disposing removes it. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Creates an empty data directory, or a copy of another. */
export async function temporaryDirectory(copyOf?: string): Promise<TemporaryDirectory> {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-scale-" });
  if (copyOf !== undefined) await cp(copyOf, path, { recursive: true });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Reads the queries of a data directory. */
export async function readQueries(dataDir: string): Promise<ScaleQueries> {
  return JSON.parse(await Deno.readTextFile(`${dataDir}/queries.json`));
}
