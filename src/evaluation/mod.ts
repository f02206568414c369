/**
 * How well an engine finds: a folder of documents, questions and judgements, asked through the public API, scored as
 * trec_eval does.
 *
 * @module
 */
export { type Baseline, compare, type Comparison, parseBaseline, updated } from "./baseline.ts";
export { EvalError } from "./errors.ts";
export { evaluate, type EvaluateOptions, type Evaluation, type QueryResult } from "./evaluate.ts";
export { type EvalDocument, type EvalQuery, type EvalSet, readSet } from "./folder.ts";
export { type Judged, type Metric, METRICS, type Scores } from "./metrics.ts";
export { table, toJson, worstQueries } from "./report.ts";
