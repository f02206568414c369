import type { ConcurrencyLimiter } from "../concurrency_limiter.ts";
import type { Middleware } from "./compose.ts";

/** Rejects requests over the limit with 503. */
export function limitConcurrency(limiter: ConcurrencyLimiter): Middleware {
  return (next) => async (request, context) => {
    if (!limiter.tryAcquire()) return limiter.busyResponse();
    try {
      return await next(request, context);
    } finally {
      limiter.release();
    }
  };
}
