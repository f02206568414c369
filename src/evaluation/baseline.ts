import * as z from "zod";
import { EvalError } from "./errors.ts";
import type { Evaluation } from "./evaluate.ts";
import { METRICS } from "./metrics.ts";

/** A metric that is lower than the baseline's by more than this has fallen. Ties may break otherwise on another machine. */
const TOLERANCE = 0.002;

/** Unit interval, rounded as it is written. */
const Value = z.number().min(0).max(1);
const Scores = z.object({ "ndcg@10": Value, map: Value, "recall@100": Value, "p@10": Value });

/** Scores that were reached, by the name of the set, then by how the search ran (and with which model). */
const Baseline = z.record(
  z.string(),
  z.record(z.string(), Scores.extend({ documents: z.int().optional(), queries: z.int() })),
);
/** Inferred from the schema of the baseline's file. */
export type Baseline = z.infer<typeof Baseline>;

/** What {@linkcode compare} has found. */
export interface Comparison {
  /** A line for each evaluation. */
  readonly text: string;
  /** Whether a metric has fallen. */
  readonly fell: boolean;
}

/**
 * Reads a baseline.
 *
 * @param text Text of its file.
 * @throws {EvalError} When it is no baseline.
 */
export function parseBaseline(text: string): Baseline {
  try {
    return Baseline.parse(JSON.parse(text));
  } catch (cause) {
    throw new EvalError(
      "The baseline must be a file that --update has written: write it anew with --update",
      {
        cause,
      },
    );
  }
}

/**
 * Holds evaluations against a baseline.
 *
 * @example
 * ```ts
 * import { compare, updated } from "./baseline.ts";
 * import type { Evaluation } from "./evaluate.ts";
 * import { assertEquals } from "@std/assert";
 * const evaluation: Evaluation = {
 *   set: "cisi",
 *   mode: "fts",
 *   model: undefined,
 *   documents: 1460,
 *   queries: 76,
 *   skipped: 36,
 *   scores: { "ndcg@10": 0.4, map: 0.2, "recall@100": 0.5, "p@10": 0.3 },
 *   latency: { p50: 1, p95: 2, p99: 3 },
 *   warnings: { count: 0, first: undefined },
 *   perQuery: [],
 * };
 * const baseline = updated({}, [evaluation]);
 * assertEquals(compare([evaluation], baseline), { text: "cisi fts: as the baseline", fell: false });
 * const worse = { ...evaluation, scores: { ...evaluation.scores, map: 0.19 } };
 * assertEquals(compare([worse], baseline), { text: "cisi fts: map 0.2000 → 0.1900, FELL", fell: true });
 * ```
 */
export function compare(evaluations: readonly Evaluation[], baseline: Baseline): Comparison {
  let fell = false;
  const lines = evaluations.map((evaluation) => {
    const { set, documents, queries, scores } = evaluation;
    const name = `${set} ${labelOf(evaluation)}`;
    const before = baseline[set]?.[labelOf(evaluation)];
    if (!before) return `${name}: not in the baseline`;
    if (before.documents !== documents || before.queries !== queries) {
      return `${name}: the baseline is of other data (${
        before.documents ?? "no"
      } documents, ${before.queries} queries)`;
    }
    const changes = METRICS.flatMap((metric) => {
      const [was, is] = [before[metric], rounded(scores[metric])];
      if (was === is) return [];
      const isWorse = rounded(was - is) > TOLERANCE;
      fell ||= isWorse;
      return [`${metric} ${was.toFixed(4)} → ${is.toFixed(4)}${isWorse ? ", FELL" : ""}`];
    });
    return `${name}: ${changes.length === 0 ? "as the baseline" : changes.join("; ")}`;
  });
  return { text: lines.join("\n"), fell };
}

/** The baseline with these evaluations in it; what it has of others stays. */
export function updated(baseline: Baseline, evaluations: readonly Evaluation[]): Baseline {
  const next = structuredClone(baseline);
  for (const evaluation of evaluations) {
    const { set, documents, queries, scores } = evaluation;
    const reached = Object.fromEntries(
      METRICS.map((metric) => [metric, rounded(scores[metric])]),
    ) as z.infer<typeof Scores>;
    (next[set] ??= {})[labelOf(evaluation)] = {
      ...(documents === undefined ? {} : { documents }),
      queries,
      ...reached,
    };
  }
  return next;
}

/** How the search ran; figures of different models say nothing of each other. */
function labelOf({ mode, model }: Evaluation): string {
  return model === undefined ? mode : `${mode} ${model}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
