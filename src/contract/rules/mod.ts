/**
 * Limits, formats and rules of the contract that need no schema. Threads of the engine and the extraction process, whose
 * input is validated, import them from here, since loading zod and the schemas takes longer than most of their work.
 *
 * @module
 */
export * from "./compact_results.ts";
export * from "./dates.ts";
export * from "./formats.ts";
export * from "./limits.ts";
export * from "./metadata.ts";
export * from "./tags.ts";
