import type { Answer } from "./answer.ts";
import { errorMessage, type RequestId } from "./json_rpc.ts";
import { LATEST_LEGACY_VERSION, MODERN_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";

/** `UnsupportedProtocolVersion` of MCP 2026-07-28. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** Refuses a revision that is not spoken (MCP 2026-07-28, Versioning, Protocol Version Negotiation). */
export function unsupportedVersion(requested: string, id?: RequestId): Answer {
  const data = { supported: PROTOCOL_VERSIONS, requested: requested.slice(0, 64) };
  const message = `Unsupported protocol version: a request can claim ${MODERN_VERSION}; ` +
    `${LATEST_LEGACY_VERSION} and earlier ones begin with initialize`;
  return { status: 400, body: errorMessage(UNSUPPORTED_PROTOCOL_VERSION, message, id, data) };
}
