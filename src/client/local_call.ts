import type { LocalEngine } from "../contract/mod.ts";
import { validActor } from "./change_headers.ts";
import type { Deadline } from "./deadline.ts";
import type { EngineCall, EngineResponse, FailedAttempt } from "./engine_call.ts";
import { probeFailed, sendFailed } from "./transport_errors.ts";

/** Calls an engine in this process. Its deadline, errors and retries are those of a call over HTTP. */
export async function callLocalEngine(
  engine: LocalEngine,
  call: EngineCall,
  deadline: Deadline,
): Promise<EngineResponse | FailedAttempt> {
  if (deadline.state !== "open") return probeFailed(call, deadline, undefined);
  const { name, id, query, json, fields, change, today } = call;
  const { signal } = deadline;
  const response = change
    ? engine.call(name, {
      id,
      query,
      json,
      fields,
      signal,
      ifVersion: change.ifVersion,
      actor: validActor(change.actor),
    })
    : engine.call(name, { id, query, json, fields, today, signal });
  try {
    const { status, body, retryAfterMs } = await deadline.race(response);
    return { status, body, contentType: null, location: null, retryAfterMs, isLocal: true };
  } catch (cause) {
    return sendFailed(call, deadline, { form: undefined, cause });
  }
}
