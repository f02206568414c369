import type { Random } from "../support/random.ts";

/** Options of {@linkcode mutate}. */
export interface MutateOptions {
  readonly random: Random;
  /** Other inputs, parts of which are spliced in. */
  readonly seeds: readonly Uint8Array[];
  readonly dictionary: readonly Uint8Array[];
  readonly maxBytes: number;
}

/** Bytes at the edges of ranges: of a byte, of ASCII, of a varint and of a UTF-8 sequence. */
const EDGE_BYTES = [0x00, 0x01, 0x0a, 0x0d, 0x20, 0x22, 0x7f, 0x80, 0xbf, 0xc0, 0xe0, 0xf0, 0xfe, 0xff];

type Mutation = (input: Uint8Array, options: MutateOptions) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  function flipBit(input, { random }) {
    const at = random.int(input.length);
    return input.with(at, input[at]! ^ (1 << random.int(8)));
  },
  function setByte(input, { random }) {
    return input.with(random.int(input.length), random.int(256));
  },
  function setEdgeByte(input, { random }) {
    return input.with(random.int(input.length), random.pick(EDGE_BYTES));
  },
  function add(input, { random }) {
    const at = random.int(input.length);
    return input.with(at, input[at]! + random.int(33) - 16);
  },
  function insertBytes(input, { random }) {
    const bytes = Uint8Array.from({ length: 1 + random.int(8) }, () => random.int(256));
    return splice(input, random.int(input.length + 1), 0, bytes);
  },
  function remove(input, { random }) {
    const [start, length] = range(input, random);
    return splice(input, start, length);
  },
  function duplicate(input, { random }) {
    const [start, length] = range(input, random);
    return splice(input, start, 0, input.subarray(start, start + length));
  },
  function repeat(input, { random }) {
    const byte = new Uint8Array(1 << random.int(9)).fill(random.pick(EDGE_BYTES));
    return splice(input, random.int(input.length + 1), 0, byte);
  },
  function truncate(input, { random }) {
    return input.subarray(0, random.int(input.length + 1));
  },
  function insertWord(input, { random, dictionary }) {
    if (dictionary.length === 0) return input;
    return splice(input, random.int(input.length + 1), 0, random.pick(dictionary));
  },
  function overwriteWithWord(input, { random, dictionary }) {
    if (dictionary.length === 0) return input;
    const word = random.pick(dictionary);
    return splice(input, random.int(input.length + 1), word.length, word);
  },
  function insertSeed(input, { random, seeds }) {
    if (seeds.length === 0) return input;
    const seed = random.pick(seeds);
    const [start, length] = range(seed, random);
    return splice(input, random.int(input.length + 1), 0, seed.subarray(start, start + length));
  },
];

/** Applies one or more random mutations. */
export function mutate(input: Uint8Array, options: MutateOptions): Uint8Array<ArrayBuffer> {
  const { random, maxBytes } = options;
  let mutated = input;
  do {
    // Mutations of single bytes need one.
    if (mutated.length === 0) mutated = Uint8Array.of(random.int(256));
    mutated = random.pick(MUTATIONS)(mutated, options).subarray(0, maxBytes);
  } while (random.int(4) > 0);
  return mutated.slice();
}

/** Returns a random range: usually a short one, sometimes up to the whole input. */
function range(input: Uint8Array, random: Random): [start: number, length: number] {
  const start = random.int(input.length + 1);
  const available = input.length - start;
  return [start, random.int((random.int(4) === 0 ? available : Math.min(available, 8)) + 1)];
}

function splice(
  input: Uint8Array,
  start: number,
  deleted: number,
  inserted: Uint8Array = new Uint8Array(),
): Uint8Array {
  const end = Math.min(start + deleted, input.length);
  const result = new Uint8Array(input.length - (end - start) + inserted.length);
  result.set(input.subarray(0, start));
  result.set(inserted, start);
  result.set(input.subarray(end), start + inserted.length);
  return result;
}
