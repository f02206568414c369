/**
 * MCP without HTTP: messages in, JSON texts out. One file per protocol era, one that tells them apart.
 *
 * @module
 */
export type { Answer } from "./answer.ts";
export { McpDoor } from "./door.ts";
export { AnswerStream, type AnswerStreamKind } from "./answer_stream.ts";
export { errorMessage, type Inbound, readMessage, type RequestId, RPC, type RpcRequest } from "./json_rpc.ts";
export type { CallContext, ClientWatcher, ServerDescription, SharedContext } from "./server_description.ts";
export { PROTOCOL_VERSIONS } from "./versions.ts";
