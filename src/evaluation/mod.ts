/**
 * Evaluation of search quality: runs the queries of a test collection through the public API and scores the
 * rankings with the metrics of trec_eval.
 *
 * @module
 */
export {
  type Baseline,
  type BaselineComparison,
  compareToBaseline,
  parseBaseline,
  updateBaseline,
} from "./baseline.ts";
export { compareModes, type RunComparison } from "./comparisons.ts";
export { EvaluationError } from "./errors.ts";
export { evaluate, type EvaluateOptions, type Evaluation, type QueryResult } from "./evaluate.ts";
export {
  type CollectionDocument,
  type JudgedQuery,
  readTestCollection,
  type TestCollection,
} from "./test_collection.ts";
export type { LanguageResult } from "./languages.ts";
export { type Judgements, type Metric, METRICS, type Scores } from "./metrics.ts";
export { formatComparisons, formatJson, formatLanguages, formatTable, formatWorstQueries } from "./report.ts";
export { type PairedDifference, pairedDifference } from "./significance.ts";
