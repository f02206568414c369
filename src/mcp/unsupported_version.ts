import type { Answer } from "./answer.ts";
import { errorMessage, type RequestId } from "./json_rpc.ts";
import { isLegacy, LATEST_LEGACY_VERSION, MODERN_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";

/** `UnsupportedProtocolVersion` of MCP 2026-07-28. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** Refuses a revision that is not spoken (MCP 2026-07-28, Versioning, Protocol Version Negotiation). */
export function unsupportedVersion(requested: string, id?: RequestId): Answer {
  // One that is spoken, but cannot be claimed, is no version to try again with.
  const supported = isLegacy(requested) ? [MODERN_VERSION] : PROTOCOL_VERSIONS;
  const data = { supported, requested: requested.slice(0, 64).toWellFormed() };
  const message = `Unsupported protocol version: a request can claim ${MODERN_VERSION}; ` +
    `${LATEST_LEGACY_VERSION} and earlier ones begin with initialize`;
  return { status: 400, body: errorMessage(UNSUPPORTED_PROTOCOL_VERSION, message, id, data) };
}
