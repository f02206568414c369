/**
 * How long the bundle takes from its start until it says that it is ready, and how much memory it then holds:
 * `deno task bundle`, then `deno run -A tests/bench/startup.ts [EXECUTABLE]`. The first start, with an empty code cache,
 * is told apart.
 *
 * @module
 */
import { BUNDLE } from "../../scripts/bundle.ts";
import { print } from "../../scripts/print.ts";
import { PERMISSIONS, RUNTIME_FLAGS } from "../../scripts/permissions.ts";
import { ServerProcess } from "../../scripts/server_process.ts";
import { resolve } from "node:path";

const STARTS = 11;
/** Time to let the first garbage go, in milliseconds. */
const IDLE_MS = 1500;

const [executable] = Deno.args;
const command = executable === undefined
  ? [
    Deno.execPath(),
    "run",
    "--cached-only",
    "--no-config",
    ...PERMISSIONS,
    ...RUNTIME_FLAGS,
    resolve(BUNDLE),
  ]
  : [resolve(executable)];

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
try {
  const env = { KB_MCP_PORT: "0", KB_DATA_DIR: `${directory}/data`, DENO_DIR: `${directory}/cache` };
  const readyMs: number[] = [];
  let memory = "";
  for (let start = 0; start < STARTS; start++) {
    await using server = await ServerProcess.start({ command: [...command, "serve"], directory, env });
    readyMs.push(server.readyMs);
    if (start === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      memory = await residentMemory(server.pid);
    }
    await server.terminate();
  }
  const [first = NaN, ...later] = readyMs;
  later.sort((a, b) => a - b);
  const median = later[Math.floor(later.length / 2)] ?? NaN;
  print(
    `ready after ${median.toFixed(0)} ms (median of ${later.length}; fastest ${later[0]?.toFixed(0)} ms,`,
  );
  print(`first start ${first.toFixed(0)} ms), resident when idle: ${memory}`);
} finally {
  await Deno.remove(directory, { recursive: true });
}

/** What `/proc` says, in MiB; other systems have no such file. */
async function residentMemory(pid: number): Promise<string> {
  if (Deno.build.os !== "linux") return "not measured here";
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1];
  return `${(Number(kilobytes) / 1024).toFixed(0)} MiB`;
}
