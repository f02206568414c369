/** Protocol revisions spoken, newest first: the dates of the MCP specification. */
export const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** The newest of {@linkcode PROTOCOL_VERSIONS}, answered to a client that asks for one we do not know. */
export const LATEST_PROTOCOL_VERSION = PROTOCOL_VERSIONS[0];

/** Whether we speak a protocol revision. */
export function isSpoken(version: string): boolean {
  return (PROTOCOL_VERSIONS as readonly string[]).includes(version);
}
