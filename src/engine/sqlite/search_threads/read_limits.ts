import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";

/** Default of the maximum time for a read, in milliseconds. */
export const DEFAULT_TIME_LIMIT_MS = 10_000;

/** Returns the error of a read that has taken too long. */
export function timeLimitError(limitMs: number): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "timeout",
    `The search took longer than ${
      limitMs / 1000
    } s and was ended: use fewer or rarer words, or try again in a moment`,
  );
}
