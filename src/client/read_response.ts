import { retryAfterMs } from "../web/mod.ts";
import type { Deadline } from "./deadline.ts";
import type { EngineCall, EngineResponse, FailedAttempt } from "./engine_call.ts";
import type { LargeResponses } from "./large_responses.ts";
import { readJson, ResponseLimitError } from "./response_body.ts";
import { responseLimits } from "./response_limits.ts";
import { bodyFailed, invalidResponse } from "./transport_errors.ts";

/** Limits on reading a response. */
export interface ReadResponseOptions {
  readonly deadline: Deadline;
  /** Maximum size of any response in bytes. Most routes have a lower one. */
  readonly maxBytes: number;
  readonly largeResponses: LargeResponses;
}

/** Reads a response within the deadline and the limits of its route, and parses its JSON. */
export async function readResponse(
  call: EngineCall,
  response: Response,
  { deadline, maxBytes, largeResponses }: ReadResponseOptions,
): Promise<EngineResponse | FailedAttempt> {
  const { ok, status, headers } = response;
  const head = {
    status,
    contentType: headers.get("content-type"),
    location: headers.get("location"),
    retryAfterMs: retryAfterMs(headers),
  };
  try {
    const limits = responseLimits(call.name, ok, maxBytes);
    return { ...head, body: await readJson(response, { ...limits, deadline, largeResponses }) };
  } catch (cause) {
    // The status of an error response is enough without its body.
    if (!ok) return { ...head, body: undefined };
    if (!(cause instanceof ResponseLimitError)) return bodyFailed(call, deadline, cause);
    const what = `responded to ${call.route.method} ${call.route.path} with ${cause.message}`;
    return {
      error: invalidResponse(call, what, { cause, status, mayHaveChanged: true }),
      isTransient: false,
    };
  }
}

/** Closes a body that nobody reads. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}
