// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Fails the system calls and allocations of the store one by one, during every operation, and checks that
 * acknowledged data is intact and that the next start is clean. Linux with gcc only. Without `--all`, long
 * runs skip calls: the number of the failing call grows by 10 %. `--only TEXT` selects injections by name, such as
 * `ingest a note, full disk`; `--from N` and `--to N` select calls.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Injection, InjectionResult } from "./inject.ts";
import { MODES } from "./inject.ts";
import { compileFaultLibrary } from "./fault_library.ts";
import { OPERATIONS } from "./operations.ts";
import { PROCEDURES } from "./procedures.ts";

const INJECT = new URL("./inject.ts", import.meta.url).pathname;

/** Operations and modes in which thousands of calls can fail, or each takes a second. */
const LONG_RUNS = ["start after a kill", "first start", "close", "ingest a file", "one failed allocation"];
const GROWTH = 1.1;

/** Number of processes that inject at the same time. */
const CONCURRENCY = 2;

/** Calls `work` with the path of the compiled library. Returns the reason if this system cannot run it. */
export async function withFaultLibrary(
  work: (library: string) => Promise<void>,
): Promise<string | undefined> {
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-faults-" });
  try {
    const library = `${directory}/faults.so`;
    const unavailable = await compileFaultLibrary(library);
    if (unavailable) return unavailable.skipped;
    await work(library);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Runs an injection in a process of its own. A process that ends early is a problem. */
export async function runInjection(library: string, injection: Injection): Promise<InjectionResult> {
  const { code, signal, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", INJECT, library, JSON.stringify(injection)],
    env: { LD_PRELOAD: library },
  }).output();
  if (code === 0) return JSON.parse(new TextDecoder().decode(stdout));
  const reason = signal ?? `status ${code}`;
  const output = new TextDecoder().decode(stderr).slice(-2000);
  return { faults: 0, codes: {}, problems: [`the process ended with ${reason}: ${output}`] };
}

/** Faults to inject: all, unless options select some. */
interface Selection {
  /** Whether long runs fail every call. */
  readonly all: boolean;
  /** Part of the names of injections. */
  readonly only: string;
  readonly from: number;
  readonly to: number;
}

async function runAll(library: string, { all, only, from, to }: Selection): Promise<boolean> {
  const queue = Object.keys({ ...OPERATIONS, ...PROCEDURES }).flatMap((operation) =>
    Object.keys(MODES).map((mode): Injection => {
      const isLong = LONG_RUNS.includes(operation) || LONG_RUNS.includes(mode);
      // JSON has no Infinity.
      return { operation, mode, growth: isLong && !all ? GROWTH : 1, from, ...(to < Infinity && { to }) };
    })
  ).filter(({ operation, mode }) => `${operation}, ${mode}`.includes(only));
  let problems = 0;
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (let injection = queue.shift(); injection; injection = queue.shift()) {
      const result = await runInjection(library, injection);
      const codes = Object.entries(result.codes).map(([code, n]) => `${n} ${code}`).join(", ");
      console.log(`${injection.operation}, ${injection.mode}: ${result.faults} faults; answers: ${codes}`);
      for (const problem of result.problems) console.log(`  PROBLEM ${problem}`);
      problems += result.problems.length;
    }
  }));
  return problems === 0;
}

if (import.meta.main) {
  const { values: { all, only, from, to } } = parseArgs({
    options: {
      all: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      from: { type: "string", default: "1" },
      to: { type: "string", default: "Infinity" },
    },
  });
  let isIntact = true;
  const skipped = await withFaultLibrary(async (library) => {
    isIntact = await runAll(library, { all, only, from: Number(from), to: Number(to) });
  });
  if (skipped !== undefined) console.log(`skipped: ${skipped}`);
  else console.log(isIntact ? "Acknowledged data survived every fault." : "PROBLEMS WERE FOUND.");
  Deno.exit(isIntact ? 0 : 1);
}
