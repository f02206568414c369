/**
 * Evaluation of search quality: runs the queries of a test collection through the public API and scores the
 * rankings with the metrics of trec_eval.
 *
 * @module
 */
export {
  type Baseline,
  compareToBaseline,
  type Comparison,
  parseBaseline,
  updateBaseline,
} from "./baseline.ts";
export { EvaluationError } from "./errors.ts";
export { evaluate, type EvaluateOptions, type Evaluation, type QueryResult } from "./evaluate.ts";
export {
  type CollectionDocument,
  type JudgedQuery,
  readTestCollection,
  type TestCollection,
} from "./test_collection.ts";
export { type Judgements, type Metric, METRICS, type Scores } from "./metrics.ts";
export { formatJson, formatTable, formatWorstQueries } from "./report.ts";
