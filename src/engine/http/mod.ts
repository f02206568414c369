/**
 * The engine's HTTP API: routes, validation and errors over a `KnowledgeBase`.
 *
 * @module
 */
export { createEngineApi, type EngineApi, type EngineApiOptions } from "./engine_api.ts";
