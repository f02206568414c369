// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * `deno task fuzz [TARGET…] [--seconds N] [--seed S] [--iteration I]`: checks the targets with random inputs,
 * each for N seconds (default 60), or repeats one input.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { fuzz, FuzzError } from "./fuzz.ts";
import type { FuzzTarget } from "./target.ts";
import { TARGETS } from "./targets.ts";
import { startWatchdog } from "./watchdog.ts";

/** Maximum time of one input, in milliseconds. The slowest takes a few hundred. */
const INPUT_TIMEOUT_MS = 20_000;

interface Arguments {
  readonly targets: readonly FuzzTarget[];
  readonly seconds: number;
  readonly seed: number;
  readonly iteration: number | undefined;
}

function parseArguments(args: string[]): Arguments | string {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: String(crypto.getRandomValues(new Uint32Array(1))[0]) },
      iteration: { type: "string" },
    },
  });
  for (const [name, value] of Object.entries(values)) {
    if (!/^\d{1,10}$/.test(value)) return `--${name} must be a whole number, got ${JSON.stringify(value)}`;
  }
  const names = TARGETS.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return `TARGET must be one of ${names.join(", ")}, got ${JSON.stringify(unknown)}`;
  }
  return {
    targets: TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    iteration: values.iteration === undefined ? undefined : Number(values.iteration),
  };
}

/** Checks one target. Returns whether all inputs passed. */
async function run(target: FuzzTarget, { seconds, seed, iteration }: Arguments): Promise<boolean> {
  using watchdog = startWatchdog({ name: target.name, seed, timeoutMs: INPUT_TIMEOUT_MS });
  const startedAt = performance.now();
  try {
    const inputs = await fuzz(target, {
      seed,
      ...(iteration === undefined ? { maxMs: seconds * 1000 } : { start: iteration, iterations: 1 }),
      onIteration: (current) => watchdog.onIteration(current),
    });
    const perSecond = Math.round(inputs / (performance.now() - startedAt) * 1000);
    console.log(`${target.name}: ${inputs} inputs passed, ${perSecond} per second (seed ${seed})`);
    return true;
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    console.error(error.message);
    return false;
  }
}

if (import.meta.main) {
  const parsed = parseArguments(Deno.args);
  if (typeof parsed === "string") {
    console.error(parsed);
    Deno.exit(64);
  }
  const results = [];
  for (const target of parsed.targets) results.push(await run(target, parsed));
  const passed = results.filter(Boolean).length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  if (passed < results.length) Deno.exit(1);
}
