/**
 * Stages files on their way from an agent to the engine, sent in chunks or by raw `PUT`.
 *
 * @module
 */
export type { ContentState } from "./content.ts";
export type { UploadDeclaration } from "./declaration.ts";
export { UploadError, type UploadErrorCode } from "./errors.ts";
export { handleUploadPut } from "./put_route.ts";
export type { QuotaLimits } from "./quota.ts";
export type { RawRange } from "./raw_content.ts";
export type { StagedFile, UploadState } from "./upload.ts";
export { Uploads, type UploadsOptions } from "./uploads.ts";
