import { oneLine } from "../text/mod.ts";
import { isObject, type Params } from "./json_rpc.ts";
import { CLIENT_INFO_KEY } from "./validate_2026.ts";

/** Maximum length of an author's name: the contract's. */
const MAX_CHARS = 100;

/**
 * Returns the author of what a request changes, for people who read the history of a document: the name of the
 * caller's key with that of the client, `alice (claude-code)`, or the latter alone without named keys.
 *
 * The name of the client is the one in `_meta` (MCP 2026-07-28), else the first product of `User-Agent` (RFC 9110
 * §10.1.5). Any client can claim any name, so nothing may depend on it. The name of a key has no spaces: whatever follows
 * the first one is only claimed.
 *
 * @param key Name of the key.
 * @returns Undefined if neither names the author. Browsers are all called Mozilla, which names none.
 */
export function authorName(
  key: string | undefined,
  params: Params,
  headers: Pick<Headers, "get">,
): string | undefined {
  if (key === undefined) return clientName(params, headers, MAX_CHARS);
  const client = clientName(params, headers, MAX_CHARS - `${key} ()`.length);
  return client === undefined ? key : `${key} (${client})`;
}

function clientName(params: Params, headers: Pick<Headers, "get">, maxChars: number): string | undefined {
  const meta = params["_meta"];
  const info = isObject(meta) ? meta[CLIENT_INFO_KEY] : undefined;
  const claimed = isObject(info) ? info["name"] : undefined;
  const product = /^\s*([^\s/()]+)/.exec(headers.get("user-agent") ?? "")?.[1];
  const name = typeof claimed === "string" ? claimed : product === "Mozilla" ? undefined : product;
  return name === undefined ? undefined : oneLine(name, maxChars) || undefined;
}
