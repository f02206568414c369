/**
 * Measures start and idle memory against a minimal `Deno.serve` program in the same run:
 * `deno task bundle && deno run -A tests/bench/startup.ts`, or, for executables,
 * `deno run -A tests/bench/startup.ts KB_MCP MINIMAL_SERVER`.
 *
 * "Ready" is the time from the start of the process to the first 200 of `/readyz`. A cold start has an empty
 * `DENO_DIR`, so no code cache; executables have no code cache at all.
 *
 * @module
 */
import { resolve } from "node:path";
import { BUNDLE } from "../../scripts/bundle.ts";
import { RUN_PERMISSIONS, RUNTIME_FLAGS } from "../../scripts/permissions.ts";
import { print } from "../../scripts/print.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { ServerProcess } from "../../scripts/server_process.ts";
import { median, residentMiB } from "./measure.ts";

/** Starts of each kind; the median counts. */
const WARM_STARTS = 11;
const COLD_STARTS = 5;
/** Time after which a server counts as idle, in milliseconds. */
const IDLE_MS = 3000;
/** Targets: ratios to the minimal program, and MiB. */
const TARGETS = { warm: 4, cold: 7, idleMiB: 90 };

interface Program {
  readonly command: readonly string[];
  readonly name: string;
  readonly warmMs: number[];
  readonly coldMs: number[];
  idleMiB: number;
}

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
try {
  const programs = await prepare(Deno.args);
  // Alternating, so that a change in the load of the machine affects both programs.
  for (let start = 0; start < COLD_STARTS; start++) {
    for (const program of programs) program.coldMs.push(await measureStart(program, { isCold: true }));
  }
  for (let start = 0; start < WARM_STARTS; start++) {
    for (const program of programs) program.warmMs.push(await measureStart(program, { isCold: false }));
  }
  for (const program of programs) program.idleMiB = await measureIdle(program);
  report(programs);
} finally {
  await Deno.remove(directory, { recursive: true });
}

async function prepare([executable, minimalExecutable]: readonly string[]): Promise<[Program, Program]> {
  if (executable !== undefined && minimalExecutable === undefined) {
    throw new Error("usage: startup.ts [KB_MCP MINIMAL_SERVER]");
  }
  let commands = [[resolve(executable ?? ""), "serve"], [resolve(minimalExecutable ?? "")]];
  if (executable === undefined) {
    const minimal = `${directory}/minimal.js`;
    const source = new URL("./minimal_server.ts", import.meta.url).pathname;
    const { code, output } = await runCommand([
      "deno",
      "bundle",
      "--quiet",
      "--minify",
      "-o",
      minimal,
      source,
    ]);
    if (code !== 0) throw new Error(`Cannot bundle the minimal server:\n${output}`);
    const run = [
      Deno.execPath(),
      "run",
      "--cached-only",
      "--no-config",
      ...RUN_PERMISSIONS,
      ...RUNTIME_FLAGS,
    ];
    commands = [[...run, resolve(BUNDLE), "serve"], [...run, minimal]];
  }
  const [kbMcp, minimal] = ["kb-mcp", "minimal server"].map((name, index): Program => {
    return { command: commands[index]!, name, warmMs: [], coldMs: [], idleMiB: NaN };
  });
  return [kbMcp!, minimal!];
}

async function start(program: Program): Promise<ServerProcess> {
  const env = { KB_MCP_PORT: "0", KB_DATA_DIR: `${directory}/data`, DENO_DIR: cacheOf(program) };
  return await ServerProcess.start({ command: program.command, directory, env });
}

function cacheOf({ name }: Program): string {
  return `${directory}/cache of ${name}`;
}

async function measureStart(program: Program, { isCold }: { isCold: boolean }): Promise<number> {
  if (isCold) await Deno.remove(cacheOf(program), { recursive: true }).catch(() => {});
  const started = performance.now();
  await using server = await start(program);
  await waitUntilReady(server.url);
  const elapsed = performance.now() - started;
  await server.terminate();
  return elapsed;
}

async function waitUntilReady(url: string): Promise<void> {
  while (true) {
    const response = await fetch(`${url}/readyz`);
    await response.body?.cancel();
    if (response.ok) return;
  }
}

async function measureIdle(program: Program): Promise<number> {
  await using server = await start(program);
  await waitUntilReady(server.url);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const memory = await residentMiB(server.pid);
  await server.terminate();
  return memory;
}

function report(programs: readonly [Program, Program]): void {
  for (const { name, warmMs, coldMs, idleMiB } of programs) {
    print(
      `${name.padEnd(15)} ready after ${median(warmMs).toFixed(0)} ms (cold ${
        median(coldMs).toFixed(0)
      } ms), ` +
        `idle ${idleMiB.toFixed(0)} MiB`,
    );
  }
  const [kbMcp, minimal] = programs;
  const ratio = (times: "warmMs" | "coldMs") => (median(kbMcp[times]) / median(minimal[times])).toFixed(1);
  print(`warm start      ${ratio("warmMs")} × the minimal server (target ${TARGETS.warm} ×)`);
  print(`cold start      ${ratio("coldMs")} × the minimal server (target ${TARGETS.cold} ×)`);
  print(`idle memory     ${kbMcp.idleMiB.toFixed(0)} MiB (target ${TARGETS.idleMiB} MiB)`);
}
