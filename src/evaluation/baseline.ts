import * as z from "zod";
import { compareRuns, type RunComparison } from "./comparisons.ts";
import { EvaluationError } from "./errors.ts";
import type { Evaluation } from "./evaluate.ts";
import { METRICS } from "./metrics.ts";

/** Maximum drop of a metric below the baseline: ties may be broken differently on another machine. */
const TOLERANCE = 0.002;

const Value = z.number().min(0).max(1);
/** Baselines of version 3.0 have only the first four metrics. */
const Scores = z.object({
  "ndcg@10": Value,
  map: Value,
  "recall@100": Value,
  "p@10": Value,
  mrr: Value.optional(),
  "recall@1": Value.optional(),
  "recall@5": Value.optional(),
});
const Entry = Scores.extend({
  documents: z.int().optional(),
  queries: z.int(),
  /** Required scores, written by hand: updates keep them, and no tolerance applies. */
  minimum: z.partialRecord(z.enum(METRICS), Value).optional(),
  /** nDCG@10 by query id, from the results of `--json`. */
  ndcg_by_query: z.record(z.string(), Value).optional(),
});

/** Earlier scores by test collection, then by search mode and embedding model. */
const Baseline = z.record(z.string(), z.record(z.string(), Entry));
/** Content of a baseline file. */
export type Baseline = z.infer<typeof Baseline>;

/** Results written by `--json`, as far as a comparison needs them. */
const Results = z.object({
  version: z.literal(1),
  evaluations: z.array(z.object({
    set: z.string(),
    mode: z.string(),
    model: z.string().optional(),
    documents: z.int().optional(),
    queries: z.int(),
    scores: Scores,
    perQuery: z.array(z.object({ id: z.string(), scores: z.object({ "ndcg@10": Value }) })),
  })),
});

/** Result of {@linkcode compareToBaseline}. */
export interface BaselineComparison {
  /** A line per evaluation. */
  readonly text: string;
  /** Whether a metric has dropped below the baseline or a minimum. */
  readonly hasDropped: boolean;
  /** Paired comparisons with a baseline that has the results of each query. */
  readonly differences: readonly RunComparison[];
}

/**
 * Parses a baseline: a file written by `--update`, or the results of an earlier run written by `--json`, which
 * also have the scores of each query.
 *
 * @throws {EvaluationError} When the text is neither.
 */
export function parseBaseline(text: string): Baseline {
  try {
    const json: unknown = JSON.parse(text);
    const results = Results.safeParse(json);
    return results.success ? fromResults(results.data) : Baseline.parse(json);
  } catch (cause) {
    throw new EvaluationError(
      "The baseline must be a file written by --update or --json: write it again with --update",
      { cause },
    );
  }
}

function fromResults({ evaluations }: z.infer<typeof Results>): Baseline {
  const baseline: Baseline = {};
  for (const { set, mode, model, documents, queries, scores, perQuery } of evaluations) {
    (baseline[set] ??= {})[labelOf({ mode, model })] = {
      ...(documents === undefined ? {} : { documents }),
      queries,
      ...scores,
      ndcg_by_query: Object.fromEntries(perQuery.map(({ id, scores }) => [id, scores["ndcg@10"]])),
    };
  }
  return baseline;
}

/**
 * Compares evaluations with a baseline.
 *
 * @example
 * ```ts
 * import { compareToBaseline, updateBaseline } from "./baseline.ts";
 * import type { Evaluation } from "./evaluate.ts";
 * import { assertEquals } from "@std/assert";
 * const scores = { "ndcg@10": 0.4, map: 0.2, mrr: 0.5, "recall@1": 0.1, "recall@5": 0.3, "recall@100": 0.5, "p@10": 0.3 };
 * const evaluation: Evaluation = {
 *   set: "cisi",
 *   mode: "fts",
 *   model: undefined,
 *   documents: 1460,
 *   emptyDocuments: 0,
 *   queries: 76,
 *   skipped: 36,
 *   scores,
 *   languages: [],
 *   latency: { p50: 1, p95: 2, p99: 3 },
 *   warnings: { count: 0, first: undefined },
 *   perQuery: [],
 * };
 * const baseline = updateBaseline({}, [evaluation]);
 * assertEquals(compareToBaseline([evaluation], baseline).text, "cisi fts: same as the baseline");
 * const { text, hasDropped } = compareToBaseline([{ ...evaluation, scores: { ...scores, map: 0.19 } }], baseline);
 * assertEquals([text, hasDropped], ["cisi fts: map 0.2000 → 0.1900, DROPPED", true]);
 * ```
 */
export function compareToBaseline(
  evaluations: readonly Evaluation[],
  baseline: Baseline,
): BaselineComparison {
  const compared = evaluations.map((evaluation) => {
    const entry = baseline[evaluation.set]?.[labelOf(evaluation)];
    return { evaluation, entry, ...compareScores(evaluation, entry) };
  });
  return {
    text: compared.map(({ text }) => text).join("\n"),
    hasDropped: compared.some(({ hasDropped }) => hasDropped),
    differences: compared.flatMap(({ evaluation, entry }) =>
      entry?.ndcg_by_query
        ? compareRuns(evaluation, new Map(Object.entries(entry.ndcg_by_query)), "baseline")
        : []
    ),
  };
}

function compareScores(
  evaluation: Evaluation,
  before: z.infer<typeof Entry> | undefined,
): { text: string; hasDropped: boolean } {
  const { set, documents, queries, scores } = evaluation;
  const name = `${set} ${labelOf(evaluation)}`;
  if (!before) return { text: `${name}: not in the baseline`, hasDropped: false };
  if (before.documents !== documents || before.queries !== queries) {
    const measured = `${before.documents ?? "no"} documents, ${before.queries} queries`;
    return { text: `${name}: the baseline was measured on other data (${measured})`, hasDropped: false };
  }
  let hasDropped = false;
  const changes = METRICS.flatMap((metric) => {
    const earlier = before[metric];
    const was = earlier === undefined ? undefined : rounded(earlier);
    const [is, minimum] = [rounded(scores[metric]), before.minimum?.[metric] ?? 0];
    const isBelow = is < minimum;
    const isWorse = was !== undefined && rounded(was - is) > TOLERANCE;
    hasDropped ||= isBelow || isWorse;
    if (!isBelow && (was === undefined || was === is)) return [];
    const change = was === undefined ? is.toFixed(4) : `${was.toFixed(4)} → ${is.toFixed(4)}`;
    return [
      `${metric} ${change}${isWorse ? ", DROPPED" : ""}${isBelow ? `, BELOW THE MINIMUM ${minimum}` : ""}`,
    ];
  });
  return {
    text: `${name}: ${changes.length === 0 ? "same as the baseline" : changes.join("; ")}`,
    hasDropped,
  };
}

/** Returns the baseline with the scores of these evaluations; other entries and the minimums are kept. */
export function updateBaseline(baseline: Baseline, evaluations: readonly Evaluation[]): Baseline {
  const next = structuredClone(baseline);
  for (const evaluation of evaluations) {
    const { set, documents, queries, scores } = evaluation;
    const entries = next[set] ??= {};
    const minimum = entries[labelOf(evaluation)]?.minimum;
    const newScores = Object.fromEntries(
      METRICS.map((metric) => [metric, rounded(scores[metric])]),
    ) as z.infer<typeof Scores>;
    entries[labelOf(evaluation)] = {
      ...(documents === undefined ? {} : { documents }),
      queries,
      ...newScores,
      ...(minimum && { minimum }),
    };
  }
  return next;
}

/** Returns the key of an evaluation in the baseline. Scores of different models are not comparable. */
function labelOf({ mode, model }: { mode: string; model?: string | undefined }): string {
  return model === undefined ? mode : `${mode} ${model}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
