import { isObject } from "./json_rpc.ts";
import { isLegacy, MODERN_VERSION } from "./versions.ts";

/** Under which a request of 2026-07-28 and later says its revision (MCP 2026-07-28, Overview, `_meta`). */
const CLAIM = "io.modelcontextprotocol/protocolVersion";

/** The protocol's two eras; `unknown` is a revision of neither, named in the header only. */
export type Era = "2025" | "2026" | "unknown";

/**
 * Tells which era a message belongs to: one that claims a revision itself is of the modern era, whatever its headers
 * say, and so is one whose header names that revision. All others are of the era that begins with `initialize`.
 *
 * @param params Of the request or notification.
 * @param version The header `MCP-Protocol-Version`.
 */
export function tellEra(params: Readonly<Record<string, unknown>> | undefined, version: string | null): Era {
  const meta = params?.["_meta"];
  if (isObject(meta) && CLAIM in meta) return "2026";
  // A client that names no revision is taken as one of 2025-03-26 (MCP 2025-11-25, Protocol Version Header).
  if (version === null || isLegacy(version)) return "2025";
  return version === MODERN_VERSION ? "2026" : "unknown";
}
