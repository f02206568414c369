import { BodyError, readText } from "../web/mod.ts";
import type { Deadline } from "./deadline.ts";
import type { EngineCall, EngineResponse, FailedAttempt } from "./engine_call.ts";
import { bodyFailed, invalidResponse } from "./transport_errors.ts";

/** Reads a response within the deadline and the maximum size, and parses its JSON. */
export async function readResponse(
  call: EngineCall,
  response: Response,
  { deadline, maxBytes }: { deadline: Deadline; maxBytes: number },
): Promise<EngineResponse | FailedAttempt> {
  const { status, headers } = response;
  const head = { status, contentType: headers.get("content-type"), location: headers.get("location") };
  try {
    const text = await readText(response, { maxBytes, signal: deadline.signal });
    // A successful DELETE may have no content.
    return { ...head, body: text === "" && call.name === "deleteDocument" ? {} : parseJson(text) };
  } catch (cause) {
    // The status of an error response is enough without its body.
    if (!response.ok) return { ...head, body: undefined };
    const problem = problemOf(cause, maxBytes);
    if (problem === undefined) return bodyFailed(call, deadline, cause);
    const what = `responded to ${call.route.method} ${call.route.path} with ${problem}`;
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

function problemOf(error: unknown, maxBytes: number): string | undefined {
  switch (error instanceof BodyError ? error.code : undefined) {
    case "too_large":
      return `more than ${maxBytes} bytes. Request less at once.`;
    case "invalid_utf8":
      return "text that is not UTF-8.";
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
