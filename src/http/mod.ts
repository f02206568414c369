/**
 * The HTTP application: composed middleware, then MCP, uploads and health checks.
 *
 * @module
 */
export { type App, type AppOptions, createApp } from "./app.ts";
export { errorResponse, type ErrorResponseOptions } from "./error_response.ts";
export type { Readiness, ReadinessCheck } from "./health.ts";
export { type HostPolicy, hostPolicy, isLoopback, LOOPBACK_HOSTS } from "./middleware/host.ts";
export { type OriginPolicy, originPolicy, type OwnPages } from "./middleware/origin.ts";
