/**
 * MCP without HTTP: messages in, JSON texts out. One file per protocol era, one that tells them apart.
 *
 * @module
 */
export type { Answer } from "./answer.ts";
export { McpDoor } from "./door.ts";
export { EventStream } from "./event_stream.ts";
export { errorMessage, type RequestId, RPC } from "./json_rpc.ts";
export type { CallContext, ClientWatcher, ServerDescription, SharedContext } from "./server_description.ts";
export { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";
