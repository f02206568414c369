/**
 * HTTP building blocks that the MCP server, the engine's HTTP API and the engine's client share: bounded
 * reading of bodies and the bearer token check.
 *
 * @module
 */
export { type BearerCheck, bearerTokenCheck } from "./bearer_token.ts";
export { assertContentLength, readBytes, readChunks, readText } from "./body.ts";
export { clientAddress } from "./client_address.ts";
export type { ConnectionInfo, HttpRequest } from "./http_request.ts";
export { BodyError, type BodyErrorCode, type BodyLimits } from "./body_limits.ts";
