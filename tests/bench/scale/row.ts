import type { ScaleCorpus } from "./corpus.ts";
import type { Subject } from "./subject.ts";

/** One measured value. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Such as `ms`; empty for a ratio. */
  readonly unit: string;
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
}

/** What a row measures with. */
export interface RowContext {
  readonly subject: Subject;
  readonly corpus: ScaleCorpus;
  /** Numbers of chunks to measure, ascending. */
  readonly sizes: readonly number[];
  /** Number of the run, from 0: rows use other texts and queries in each. */
  readonly run: number;
}

/** A row of the table: one measurement of one checkout, in a minute or two. */
export interface Row {
  /** Name for `--rows`. */
  readonly id: string;
  readonly title: string;
  measure(context: RowContext): Promise<Figure[]>;
}

/** Returns the sizes among those to measure. */
export function sizesOf({ sizes }: RowContext, ...wanted: number[]): number[] {
  return wanted.filter((size) => sizes.includes(size));
}
