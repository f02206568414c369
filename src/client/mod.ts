/**
 * The client of a knowledge base engine: `fetch` underneath, one deadline per call, bounded answers, typed errors.
 *
 * @module
 */
export { EngineClient, type Filing, type NewFile, type NewNote, type WaitOptions } from "./client.ts";
export { EngineError, type EngineErrorCode } from "./errors.ts";
export type { FileSource } from "./multipart.ts";
export type { CallOptions, EngineClientOptions } from "./options.ts";
