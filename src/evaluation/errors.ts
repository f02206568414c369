/** An evaluation that cannot be made. The message is for the person who asked for it: which file, which line, what to do. */
export class EvalError extends Error {
  override name = "EvalError";
}
