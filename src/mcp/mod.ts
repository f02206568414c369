/**
 * MCP without HTTP: one implementation per generation of the protocol, and a dispatcher that selects one by
 * the version of each message. The official SDKs supply the types and, in tests, the schemas, clients and
 * validators.
 *
 * @module
 */
export { MAX_RESULT_CHARS } from "./call_tool.ts";
export type { ClientWatcher, RequestContext, ServerDescription, SharedContext } from "./context.ts";
export { Dispatcher } from "./dispatcher.ts";
export {
  ErrorCode,
  errorMessage,
  type IncomingMessage,
  isRequestId,
  JsonRpcError,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  MAX_ID_CHARS,
  type Params,
  parseMessage,
  type RequestId,
} from "./json_rpc.ts";
export { type McpResponse, ResponseStream, type ResponseStreamKind } from "./mcp_response.ts";
export { PROTOCOL_VERSIONS } from "./protocol_versions.ts";
export { PROTOCOL_VERSION_KEY } from "./validate_2026.ts";
