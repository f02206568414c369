import type { FairShare } from "../web/mod.ts";
import { errorResponse } from "./error_response.ts";

/** Returns the response to a request without a free slot. */
export function busyResponse({ capacity, free }: FairShare): Response {
  const message = free === 0
    ? `Busy: ${capacity} requests are in progress (KB_MCP_MAX_CONCURRENT), try again in a moment`
    : "Busy: this client has its share of the requests in progress (KB_MCP_MAX_CONCURRENT), " +
      "try again in a moment";
  return errorResponse(503, message, { headers: { "retry-after": "1" } });
}
