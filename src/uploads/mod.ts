/**
 * Staging of files on their way from an agent to the engine.
 *
 * @module
 */
export { UploadError, type UploadErrorKind } from "./errors.ts";
export { handleUploadPut } from "./route.ts";
export {
  MAX_LISTED,
  type RawRange,
  type StagedFile,
  type UploadRequest,
  type UploadsOptions,
  type UploadState,
} from "./types.ts";
export { Uploads } from "./uploads.ts";
