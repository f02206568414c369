import type { Progress } from "../tools/mod.ts";
import { ErrorCode, isObject, JsonRpcError, type Params } from "./json_rpc.ts";

/** Minimum time between two progress notifications of one request, in milliseconds. */
const MIN_INTERVAL_MS = 100;
/** Maximum length of a progress token, in characters: every notification repeats it. */
const MAX_TOKEN_CHARS = 256;

/** Token with which a client requests progress notifications (MCP, Progress). */
export type ProgressToken = string | number;

/** Parameters of `notifications/progress`. */
export type ProgressParams = Progress & { readonly progressToken: ProgressToken };

/**
 * Returns the progress token of a request, if it has one.
 *
 * @throws {JsonRpcError} `invalidParams` when `_meta` or the token is malformed.
 */
export function progressTokenOf(params: Params | undefined): ProgressToken | undefined {
  const meta = params?.["_meta"];
  if (meta === undefined) return undefined;
  if (!isObject(meta)) throw invalidParams('"_meta" must be an object');
  const { progressToken } = meta;
  if (progressToken === undefined) return undefined;
  if (typeof progressToken === "string" && progressToken.length > MAX_TOKEN_CHARS) {
    throw invalidParams(`"_meta.progressToken" must have at most ${MAX_TOKEN_CHARS} characters`);
  }
  if (typeof progressToken !== "string" && !Number.isInteger(progressToken)) {
    throw invalidParams('"_meta.progressToken" must be a string or an integer');
  }
  return progressToken as ProgressToken;
}

function invalidParams(reason: string): JsonRpcError {
  return new JsonRpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`);
}

/**
 * Returns a function that sends a tool's progress reports as notifications. Reports that do not increase are
 * dropped (MCP, Progress: "The `progress` value MUST increase with each notification"), and so are reports in
 * quick succession ("Both parties SHOULD implement rate limiting"), except the final one.
 *
 * @param send Sends the parameters of one notification.
 * @param now Monotonic clock, in milliseconds.
 */
export function progressReporter(
  token: ProgressToken,
  send: (params: ProgressParams) => void,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  let last = -Infinity;
  let lastAt = -Infinity;
  return (report) => {
    const at = now();
    const isFinal = report.progress === report.total;
    if (!(report.progress > last) || (at - lastAt < MIN_INTERVAL_MS && !isFinal)) return;
    last = report.progress;
    lastAt = at;
    send({ progressToken: token, ...report });
  };
}
