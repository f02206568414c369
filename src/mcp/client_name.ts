import { oneLine } from "../text/mod.ts";
import { isObject, type Params } from "./json_rpc.ts";
import { CLIENT_INFO_KEY } from "./validate_2026.ts";

/** Maximum length of a client's name: the contract's maximum length of an author. */
const MAX_CHARS = 100;

/**
 * Returns the name of a request's client, for people who read the history of a document: the name in `_meta`
 * (MCP 2026-07-28), else the first product of `User-Agent` (RFC 9110 §10.1.5). Any client can claim any name,
 * so nothing may depend on it.
 *
 * @returns Undefined if the client names itself nowhere. Browsers are all called Mozilla, which names none.
 */
export function clientName(params: Params, headers: Pick<Headers, "get">): string | undefined {
  const meta = params["_meta"];
  const info = isObject(meta) ? meta[CLIENT_INFO_KEY] : undefined;
  const claimed = isObject(info) ? info["name"] : undefined;
  const product = /^\s*([^\s/()]+)/.exec(headers.get("user-agent") ?? "")?.[1];
  const name = typeof claimed === "string" ? claimed : product === "Mozilla" ? undefined : product;
  return name === undefined ? undefined : oneLine(name, MAX_CHARS) || undefined;
}
