/** The revision that is stateless: each request says which one it speaks. */
export const MODERN_VERSION = "2026-07-28";
/** Revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Protocol revisions spoken, newest first: the dates of the MCP specification. */
export const PROTOCOL_VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS] as const;

/** The newest of {@linkcode LEGACY_VERSIONS}, answered to a client that initializes with one that we do not know. */
export const LATEST_LEGACY_VERSION = LEGACY_VERSIONS[0];

/** Whether a revision is one that begins with `initialize`. */
export function isLegacy(version: string): boolean {
  return (LEGACY_VERSIONS as readonly string[]).includes(version);
}
