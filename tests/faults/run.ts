// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Fails the system calls and allocations of the store one by one, during every operation, and checks that
 * acknowledged data is intact and that the next start is clean. Linux with gcc only. Without `--all`, long
 * runs skip calls: the number of the failing call grows by 10 %.
 *
 * @module
 */
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

async function runAll(library: string, isComplete: boolean): Promise<boolean> {
  const queue = Object.keys({ ...OPERATIONS, ...PROCEDURES }).flatMap((operation) =>
    Object.keys(MODES).map((mode): Injection => {
      const isLong = LONG_RUNS.includes(operation) || LONG_RUNS.includes(mode);
      return { operation, mode, growth: isLong && !isComplete ? GROWTH : 1 };
    })
  );
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
  let isIntact = true;
  const skipped = await withFaultLibrary(async (library) => {
    isIntact = await runAll(library, Deno.args.includes("--all"));
  });
  if (skipped !== undefined) console.log(`skipped: ${skipped}`);
  else console.log(isIntact ? "Acknowledged data survived every fault." : "PROBLEMS WERE FOUND.");
  Deno.exit(isIntact ? 0 : 1);
}
