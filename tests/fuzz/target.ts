import type { Random } from "../support/random.ts";

/** Checks one input. Throws if a property does not hold. */
export type Check = (input: Uint8Array<ArrayBuffer>) => void | Promise<void>;

/** Code under test, with inputs to start from. */
export interface FuzzTarget {
  /** Name on the command line and of the test. */
  readonly name: string;
  /** Valid inputs, which mutations start from. */
  readonly seeds: readonly Uint8Array[];
  /**
   * Generates an input from the grammar of the format, which then may be mutated.
   *
   * @default mutations of `seeds` only
   */
  readonly generate?: (random: Random) => Uint8Array;
  /** Sequences with a meaning to the parser, which mutations insert. */
  readonly dictionary?: readonly Uint8Array[];
  /** Maximum size of an input in bytes. @default 4096 */
  readonly maxBytes?: number;
  /** Number of inputs in the gate: about half a second. */
  readonly iterations: number;
  /**
   * Prepares the code under test.
   *
   * @param resources Disposed of after the last input.
   */
  readonly open: (resources: AsyncDisposableStack) => Check | Promise<Check>;
}

/** Encodes texts as seeds or as a dictionary. */
export function utf8(texts: readonly string[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  return texts.map((text) => encoder.encode(text));
}
