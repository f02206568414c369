/** Reason why a model file cannot be used. */
export type ModelFileErrorCode =
  /** The file is no model file, or one of a newer version of the format. */
  | "format"
  /** The file ends early. */
  | "truncated"
  /** The checksum does not match. */
  | "checksum"
  /** The header contradicts the format, itself or the size of the file. */
  | "header";

/** A model file cannot be used. The message names the field and the requirement. */
export class ModelFileError extends Error {
  /** Always `ModelFileError`. */
  override name = "ModelFileError";
  /** See {@linkcode ModelFileErrorCode}. */
  readonly code: ModelFileErrorCode;

  constructor(code: ModelFileErrorCode, message: string, options?: ErrorOptions) {
    super(`Cannot read the model: ${message}`, options);
    this.code = code;
  }
}
