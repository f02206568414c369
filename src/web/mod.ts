/**
 * HTTP building blocks that the MCP server, the engine's HTTP API and the engine's client share: bounded
 * reading of bodies and the bearer token check.
 *
 * @module
 */
export { type BearerCheck, bearerDigestCheck, bearerTokenCheck } from "./bearer_token.ts";
export { assertContentLength, readBytes, readChunks, readRequestChunks, readText } from "./body.ts";
export { BodyBuffer } from "./body_buffer.ts";
export { BodyMemory, MAX_BUFFERED_BYTES } from "./body_memory.ts";
export { BodyParser } from "./body_parser.ts";
export { clientAddress } from "./client_address.ts";
export { FailureLimiter, type LimitedFailure } from "./failure_limiter.ts";
export { FairShare } from "./fair_share.ts";
export { fetchOnce } from "./fetch_once.ts";
export {
  type JsonLimits,
  JsonStructureScan,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  UNLIMITED_JSON_BYTES,
} from "./json_structure.ts";
export { metricsRoute, type MetricsRouteOptions } from "./metrics_route.ts";
export {
  countRejected,
  type Observation,
  type ObservedHandler,
  type ObserveOptions,
  observeRequests,
} from "./observe_requests.ts";
export type { ConnectionInfo, HttpRequest } from "./http_request.ts";
export { BodyError, type BodyErrorCode, type BodyLimits, MIN_BYTES_PER_MS } from "./body_limits.ts";
export {
  encodedJsonResponse,
  jsonResponse,
  setField,
  TextResponse,
  type TextResponseOptions,
} from "./text_response.ts";
export { retryAfterMs } from "./retry_after.ts";
