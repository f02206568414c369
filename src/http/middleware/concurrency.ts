import type { FairShare } from "../../web/mod.ts";
import { busyResponse } from "../busy_response.ts";
import type { Middleware } from "./compose.ts";

/** Rejects requests without a free slot for their client with 503. */
export function limitConcurrency(slots: FairShare): Middleware {
  return (next) => async (request, context) => {
    if (!slots.tryTake(context.client)) return busyResponse(slots);
    try {
      return await next(request, context);
    } finally {
      slots.release(context.client);
    }
  };
}
