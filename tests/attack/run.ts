/**
 * `deno task attack [--only NAME] [--long] [--executable PATH]`: attacks the started program from outside, over
 * sockets, files and processes, and prints one line per attack. Linux only.
 *
 * `--only` selects the attacks whose name begins with NAME, and may be repeated. `--long` runs the full numbers of
 * repetitions. `--executable` attacks an executable of `deno task compile` instead of the sources.
 *
 * @module
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { print } from "../../scripts/print.ts";
import { Attack, type Check, SkippedError, sourceProgram } from "./attack.ts";
import { bodies } from "./bodies.ts";
import { connections } from "./connections.ts";
import { clock } from "./clock.ts";
import { corruptedFiles } from "./corrupted_files.ts";
import { damagedData } from "./damaged_data.ts";
import { disclosure } from "./disclosure.ts";
import { disk } from "./disk.ts";
import { hostileFileChecks } from "./hostile_files.ts";
import { keys } from "./keys.ts";
import { memory } from "./memory.ts";
import { remoteEngine } from "./remote_engine.ts";
import { slowReaders } from "./slow_readers.ts";
import { uploads } from "./uploads.ts";

const CHECKS: readonly Check[] = [
  ...connections,
  ...bodies,
  ...hostileFileChecks,
  ...corruptedFiles,
  ...keys,
  ...damagedData,
  ...memory,
  ...disk,
  ...slowReaders,
  ...uploads,
  ...remoteEngine,
  ...disclosure,
  ...clock,
];

const DEFAULT_TIMEOUT_MS = 120_000;

/** Runs an attack and prints its line. */
async function run(check: Check, attack: Attack): Promise<"passed" | "failed" | "skipped"> {
  const started = performance.now();
  const seconds = () => `(${((performance.now() - started) / 1000).toFixed(0)} s)`;
  try {
    print(`ok ${check.name}: ${await withTimeout(check, attack)} ${seconds()}`);
    return "passed";
  } catch (error) {
    const message = describe(error);
    if (error instanceof SkippedError) {
      print(`skipped ${check.name}: ${message}`);
      return "skipped";
    }
    print(`FAILED ${check.name}: ${message} ${seconds()}`);
    return "failed";
  }
}

/** Returns the message of an error and of its causes: that of `fetch` says little. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
}

async function withTimeout({ run, timeoutMs = DEFAULT_TIMEOUT_MS }: Check, attack: Attack): Promise<string> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`it took longer than ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  const running = run(attack);
  running.catch(() => {}); // It fails late when its programs are killed after the timeout.
  try {
    return await Promise.race([running, timeout.promise]);
  } finally {
    clearTimeout(timer);
    await attack[Symbol.asyncDispose]();
  }
}

const { values: { only, long, executable } } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    long: { type: "boolean", default: false },
    executable: { type: "string" },
  },
});
if (Deno.build.os !== "linux") {
  print("skipped: measuring processes requires Linux");
  Deno.exit(0);
}
const program = executable === undefined ? sourceProgram() : [resolve(executable)];
const selected = CHECKS.filter(({ name }) =>
  only === undefined || only.some((prefix) => name.startsWith(prefix))
);
const results = { passed: 0, failed: 0, skipped: 0 };
const attackWith = async (check: Check) => {
  results[await run(check, new Attack(program, long))]++;
};
const waiting = selected.filter((check) => check.isWaiting).map(attackWith);
for (const check of selected) if (!check.isWaiting) await attackWith(check);
await Promise.all(waiting);
print(`\n${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped`);
Deno.exit(results.failed === 0 && selected.length > 0 ? 0 : 1);
