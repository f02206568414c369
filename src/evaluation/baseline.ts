import * as z from "zod";
import { EvaluationError } from "./errors.ts";
import type { Evaluation } from "./evaluate.ts";
import { METRICS } from "./metrics.ts";

/** Maximum drop of a metric below the baseline: ties may be broken differently on another machine. */
const TOLERANCE = 0.002;

const Value = z.number().min(0).max(1);
const Scores = z.object({ "ndcg@10": Value, map: Value, "recall@100": Value, "p@10": Value });

/** Earlier scores by test collection, then by search mode and embedding model. */
const Baseline = z.record(
  z.string(),
  z.record(z.string(), Scores.extend({ documents: z.int().optional(), queries: z.int() })),
);
/** Content of a baseline file. */
export type Baseline = z.infer<typeof Baseline>;

/** Result of {@linkcode compareToBaseline}. */
export interface Comparison {
  /** A line per evaluation. */
  readonly text: string;
  /** Whether a metric has dropped below the baseline. */
  readonly hasDropped: boolean;
}

/**
 * Parses a baseline file.
 *
 * @throws {EvaluationError} When the text is not a baseline.
 */
export function parseBaseline(text: string): Baseline {
  try {
    return Baseline.parse(JSON.parse(text));
  } catch (cause) {
    throw new EvaluationError(
      "The baseline must be a file written by --update: write it again with --update",
      {
        cause,
      },
    );
  }
}

/**
 * Compares evaluations with a baseline.
 *
 * @example
 * ```ts
 * import { compareToBaseline, updateBaseline } from "./baseline.ts";
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
 * const baseline = updateBaseline({}, [evaluation]);
 * assertEquals(compareToBaseline([evaluation], baseline), { text: "cisi fts: same as the baseline", hasDropped: false });
 * const worse = { ...evaluation, scores: { ...evaluation.scores, map: 0.19 } };
 * assertEquals(compareToBaseline([worse], baseline), { text: "cisi fts: map 0.2000 → 0.1900, DROPPED", hasDropped: true });
 * ```
 */
export function compareToBaseline(evaluations: readonly Evaluation[], baseline: Baseline): Comparison {
  let hasDropped = false;
  const lines = evaluations.map((evaluation) => {
    const { set, documents, queries, scores } = evaluation;
    const name = `${set} ${labelOf(evaluation)}`;
    const before = baseline[set]?.[labelOf(evaluation)];
    if (!before) return `${name}: not in the baseline`;
    if (before.documents !== documents || before.queries !== queries) {
      return `${name}: the baseline was measured on other data (${
        before.documents ?? "no"
      } documents, ${before.queries} queries)`;
    }
    const changes = METRICS.flatMap((metric) => {
      const [was, is] = [before[metric], rounded(scores[metric])];
      if (was === is) return [];
      const isWorse = rounded(was - is) > TOLERANCE;
      hasDropped ||= isWorse;
      return [`${metric} ${was.toFixed(4)} → ${is.toFixed(4)}${isWorse ? ", DROPPED" : ""}`];
    });
    return `${name}: ${changes.length === 0 ? "same as the baseline" : changes.join("; ")}`;
  });
  return { text: lines.join("\n"), hasDropped };
}

/** Returns the baseline with the scores of these evaluations; other entries are kept. */
export function updateBaseline(baseline: Baseline, evaluations: readonly Evaluation[]): Baseline {
  const next = structuredClone(baseline);
  for (const evaluation of evaluations) {
    const { set, documents, queries, scores } = evaluation;
    const newScores = Object.fromEntries(
      METRICS.map((metric) => [metric, rounded(scores[metric])]),
    ) as z.infer<typeof Scores>;
    (next[set] ??= {})[labelOf(evaluation)] = {
      ...(documents === undefined ? {} : { documents }),
      queries,
      ...newScores,
    };
  }
  return next;
}

/** Returns the key of an evaluation in the baseline. Scores of different models are not comparable. */
function labelOf({ mode, model }: Evaluation): string {
  return model === undefined ? mode : `${mode} ${model}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
