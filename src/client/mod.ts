/**
 * Client of a knowledge base engine over `fetch`, with a deadline per call, bounded responses and typed
 * errors.
 *
 * @module
 */
export { hasContractVersion, type NewJobField, type SubmittedJob } from "./adapter/mod.ts";
export { describeStage } from "./describe_stage.ts";
export { type DocumentMetadata, EngineClient, type NewFile, type NewNote } from "./engine_client.ts";
export { EngineError, type EngineErrorCode, type EngineErrorOptions } from "./errors.ts";
export { connectFailure } from "./fetch_errors.ts";
export { ifFound } from "./if_found.ts";
export type { FileSource } from "./multipart.ts";
export type {
  CallOptions,
  ChangeOptions,
  DeleteOptions,
  EngineClientOptions,
  RequireOptions,
} from "./options.ts";
export type { WaitOptions } from "./wait_for_job.ts";
