import { runForRequest } from "./request_scope.ts";
import { withoutSpan } from "./tracing.ts";

/**
 * Runs a function that starts long-lived work, such as a thread or a background loop: it must not keep the id and
 * the span of the request that happened to start it.
 */
export function runDetached<T>(run: () => T): T {
  return runForRequest(undefined, () => withoutSpan(run));
}
