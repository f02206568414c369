import type { Answer } from "./answer.ts";
import { errorMessage, type RequestId } from "./json_rpc.ts";
import { PROTOCOL_VERSIONS } from "./versions.ts";

/** `UnsupportedProtocolVersion` of MCP 2026-07-28. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** Refuses a revision that is not spoken (MCP 2026-07-28, Versioning, Protocol Version Negotiation). */
export function unsupportedVersion(requested: string, id?: RequestId): Answer {
  const supported = PROTOCOL_VERSIONS.filter((version) => version !== requested);
  const data = { supported, requested: requested.slice(0, 64) };
  const message = `Unsupported protocol version: it must be one of ${supported.join(", ")}`;
  return { status: 400, body: errorMessage(UNSUPPORTED_PROTOCOL_VERSION, message, id, data) };
}
