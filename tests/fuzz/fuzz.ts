import { seededRandom } from "../support/random.ts";
import { minimize } from "./minimize.ts";
import { mutate } from "./mutate.ts";
import type { Check, FuzzTarget } from "./target.ts";

/** Options of {@linkcode fuzz}. */
export interface FuzzOptions {
  /** Each input depends only on the target, this seed and the number of the iteration. */
  readonly seed: number;
  /** Number of the first iteration. @default 0 */
  readonly start?: number;
  /** Maximum number of inputs. @default Infinity */
  readonly iterations?: number;
  /** Maximum time in milliseconds, after which no further input is started. @default Infinity */
  readonly maxMs?: number;
  /** Called before each input. */
  readonly onIteration?: (iteration: number) => void;
}

/** An input that violates a property of a target. */
export class FuzzError extends Error {
  override name = "FuzzError";
}

const DEFAULT_MAX_BYTES = 4096;
/** Number of inputs after which timers and I/O of the target get their turn. */
const INPUTS_PER_TURN = 256;

/**
 * Checks a target with generated and mutated inputs.
 *
 * @returns The number of inputs.
 * @throws {FuzzError} For the first input that fails: how to repeat it, and a minimized form of it.
 */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<number> {
  const { seed, start = 0, iterations = Infinity, maxMs = Infinity, onIteration } = options;
  await using resources = new AsyncDisposableStack();
  const check = await target.open(resources);
  const end = performance.now() + maxMs;
  let iteration = start;
  for (; iteration < start + iterations && performance.now() < end; iteration++) {
    if (iteration % INPUTS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    onIteration?.(iteration);
    const input = createInput(target, { seed, iteration });
    const error = await errorOf(check, input);
    if (error === undefined) continue;
    const cause = error.value;
    const expected = kindOf(cause);
    const minimized = await minimize(input, async (candidate) => {
      const found = await errorOf(check, candidate);
      return found !== undefined && kindOf(found.value) === expected;
    });
    throw new FuzzError(report(target, { seed, iteration, input, minimized, cause }), { cause });
  }
  return iteration - start;
}

/** Returns the input of an iteration. */
export function createInput(
  { seeds, generate, dictionary = [], maxBytes = DEFAULT_MAX_BYTES }: FuzzTarget,
  { seed, iteration }: { seed: number; iteration: number },
): Uint8Array<ArrayBuffer> {
  // The multiplier, 2^32 divided by the golden ratio, keeps the inputs of neighbouring seeds apart.
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) + iteration);
  const isGenerated = generate !== undefined && (seeds.length === 0 || random.int(2) === 0);
  const base = isGenerated ? generate(random) : seeds.length === 0 ? new Uint8Array() : random.pick(seeds);
  const isMutated = generate === undefined || random.int(4) > 0;
  return isMutated
    ? mutate(base, { random, seeds, dictionary, maxBytes })
    : Uint8Array.from(base.subarray(0, maxBytes));
}

/** Returns what the check throws, which may be any value. */
async function errorOf(check: Check, input: Uint8Array): Promise<{ value: unknown } | undefined> {
  try {
    // A copy: a target that writes to its input must not change the one that is reported.
    await check(input.slice());
    return undefined;
  } catch (value) {
    return { value };
  }
}

/** Identifies a failure, so that minimizing does not arrive at another one. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.name}: ${error.message.split("\n")[0]?.replace(/\d+/g, "N").slice(0, 80)}`;
}

function report(
  { name }: FuzzTarget,
  { seed, iteration, input, minimized, cause }: {
    seed: number;
    iteration: number;
    input: Uint8Array;
    minimized: Uint8Array;
    cause: unknown;
  },
): string {
  return `${name} fails for input ${iteration} of seed ${seed}: ${
    cause instanceof Error ? cause.stack : cause
  }
Repeat: deno task fuzz ${name} --seed ${seed} --iteration ${iteration}
Minimized from ${input.length} to ${minimized.length} bytes:
  text ${JSON.stringify(new TextDecoder().decode(minimized))}
  hex  ${minimized.toHex()}`;
}
