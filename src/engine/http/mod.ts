/**
 * The engine's HTTP API: routes, validation and errors over a `KnowledgeBase`.
 *
 * @module
 */
export type { BodyOptions } from "./body.ts";
export { createEngineApi, type EngineApi, type EngineApiOptions } from "./engine_api.ts";
export type { Services } from "./handlers.ts";
export type { FormOptions } from "./job_form.ts";
