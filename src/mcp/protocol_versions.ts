import { escapeInvisible } from "../text/mod.ts";
import { ErrorCode, JsonRpcError } from "./json_rpc.ts";

/** The stateless protocol version: every request names its version and describes its client. */
export const STATELESS_VERSION = "2026-07-28";
/** Protocol versions that negotiate with an `initialize` handshake, newest first. */
export const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** All supported protocol versions, newest first. */
export const PROTOCOL_VERSIONS = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS] as const;

/** Returns whether a version is supported and begins with `initialize`. */
export function isHandshakeVersion(version: string): boolean {
  return (HANDSHAKE_VERSIONS as readonly string[]).includes(version);
}

/**
 * Returns the error for a request in an unsupported version (MCP 2026-07-28, Protocol Version Negotiation).
 */
export function unsupportedVersion(requested: string): JsonRpcError {
  return new JsonRpcError(
    ErrorCode.unsupportedProtocolVersion,
    `Unsupported protocol version: a request can name ${STATELESS_VERSION} in _meta; ` +
      `${HANDSHAKE_VERSIONS[0]} and earlier begin with initialize`,
    {
      // A handshake version named in _meta must not be listed, or the client would retry with it forever.
      supported: isHandshakeVersion(requested) ? [STATELESS_VERSION] : PROTOCOL_VERSIONS,
      requested: escapeInvisible(requested.slice(0, 64)),
    },
  );
}
