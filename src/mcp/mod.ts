/**
 * MCP without HTTP: messages in, JSON texts out. One file per protocol era, one that finds the door.
 *
 * @module
 */
export { type Answer, McpDoor } from "./door.ts";
export { errorMessage, type RequestId, RPC } from "./json_rpc.ts";
export type { CallContext, ServerDescription, SharedContext } from "./protocol_2025.ts";
export { isSpoken, LATEST_PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";
