import type { RequestHead } from "./head_parser.ts";
import { ProtocolError } from "./protocol_error.ts";

/** Host and optional port of RFC 9110 §7.2, limited to characters that URLs need. */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;
/** `#` starts a fragment, which is not sent; `<` and `>` are not valid in any URL. */
const ORIGIN_FORM = /^\/[^#<>]*$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(\/[^#<>]*|\?[^#<>]*)?$/i;

/**
 * Determines the absolute URL of a request (RFC 9112 §3.3).
 *
 * Threat: a target in absolute form names any host, and links such as `upload_url` are built from it. Its
 * authority therefore replaces the `Host` header (§3.2.2), so that the check of the host sees the same name as
 * the handler.
 *
 * @param local Authority of the listener, for HTTP/1.0 without `Host`.
 * @throws {ProtocolError} 400 for an invalid target or host, 501 for `CONNECT`.
 */
export function requestUrl(head: RequestHead, local: string): string {
  const { method, target, hosts, headers } = head;
  const host = singleHost(head);
  if (method === "CONNECT") throw new ProtocolError(501, "CONNECT is not supported: this is not a proxy");
  if (ORIGIN_FORM.test(target)) return `http://${host ?? local}${target}`;
  if (target === "*" && method === "OPTIONS") return `http://${host ?? local}/*`;
  const [matched, authority = "", path = "/"] = ABSOLUTE_FORM.exec(target) ?? [];
  if (matched === undefined) throw new ProtocolError(400, "Malformed request target");
  assertAuthority(authority);
  if (hosts.length > 0) headers.replace("host", authority);
  return `http://${authority}${path.startsWith("/") ? path : `/${path}`}`;
}

/** Returns the value of `Host`: exactly one is required since HTTP/1.1 (RFC 9112 §3.2). */
function singleHost({ hosts, minor }: RequestHead): string | undefined {
  const [host] = hosts;
  if (hosts.length > 1) throw new ProtocolError(400, "The Host header must be sent once");
  if (host === undefined) {
    if (minor === 0) return undefined;
    throw new ProtocolError(400, "The Host header is required");
  }
  assertAuthority(host);
  return host;
}

let lastValid = "";

function assertAuthority(authority: string): void {
  // Clients send the same name again and again.
  if (authority === lastValid) return;
  if (!AUTHORITY.test(authority)) throw new ProtocolError(400, "The host must be a name or an IP address");
  lastValid = authority;
}
