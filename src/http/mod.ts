/**
 * The HTTP front: guards in one visible order, then MCP, uploads and health.
 *
 * @module
 */
export { type App, type AppOptions, createApp } from "./app.ts";
export { hostGuard, isLoopback, LOOPBACK_HOSTS } from "./guards/host.ts";
export { originGuard, type OriginPolicy, originPolicy } from "./guards/origin.ts";
export type { ReadinessCheck } from "./health.ts";
