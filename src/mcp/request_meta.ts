import { isObject } from "./json_rpc.ts";
import type { ProgressToken } from "./progress.ts";

/** What the `_meta` of a request says that both eras understand, or what is wrong with it. */
export type RequestMeta =
  | { readonly progressToken: ProgressToken | undefined }
  | { readonly problem: string };

const EMPTY: RequestMeta = { progressToken: undefined };

/** Reads the `_meta` of a request (MCP, `RequestParams`). */
export function readMeta(meta: unknown): RequestMeta {
  if (meta === undefined) return EMPTY;
  if (!isObject(meta)) return { problem: '"_meta" must be an object' };
  const { progressToken } = meta;
  if (progressToken === undefined) return EMPTY;
  return typeof progressToken === "string" || Number.isInteger(progressToken)
    ? { progressToken: progressToken as ProgressToken }
    : { problem: '"_meta.progressToken" must be a string or an integer' };
}

/** Whether a client reads a stream of events as an answer; one that does not is answered JSON and hears of no progress. */
export function readsEvents(headers: Pick<Headers, "get">): boolean {
  const accept = headers.get("accept");
  return accept !== null && /\btext\/event-stream\b|\btext\/\*|(?:^|,)\s*\*\/\*/i.test(accept);
}
