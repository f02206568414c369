import { isObject } from "./json_rpc.ts";
import type { ProgressToken } from "./progress.ts";

/** What the `_meta` of a request says that both eras understand, or what is wrong with it. */
export type RequestMeta =
  | { readonly progressToken: ProgressToken | undefined }
  | { readonly problem: string };

/** Each notification repeats it. */
const MAX_TOKEN_CHARS = 256;

const EMPTY: RequestMeta = { progressToken: undefined };

/** Reads the `_meta` of a request (MCP, `RequestParams`). */
export function readMeta(meta: unknown): RequestMeta {
  if (meta === undefined) return EMPTY;
  if (!isObject(meta)) return { problem: '"_meta" must be an object' };
  const { progressToken } = meta;
  if (progressToken === undefined) return EMPTY;
  if (typeof progressToken === "string" && progressToken.length > MAX_TOKEN_CHARS) {
    return { problem: `"_meta.progressToken" must have at most ${MAX_TOKEN_CHARS} characters` };
  }
  return typeof progressToken === "string" || Number.isInteger(progressToken)
    ? { progressToken: progressToken as ProgressToken }
    : { problem: '"_meta.progressToken" must be a string or an integer' };
}
