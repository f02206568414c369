/** An evaluation that failed. The message is for its author: file, line and what to do. */
export class EvaluationError extends Error {
  override name = "EvaluationError";
}
