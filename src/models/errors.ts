/** Reason why a model is unavailable. */
export type ModelErrorCode =
  /** No model has this name. */
  | "unknown_model"
  /** The given file or checkpoint is damaged, or of a kind that the encoder does not support. */
  | "invalid_model"
  /** The origin cannot be reached, or the transfer failed. */
  | "unreachable"
  /** A downloaded file is not the expected one. */
  | "wrong_checksum"
  /** The settings forbid downloads. */
  | "download_forbidden"
  /** The model cannot be stored: no space, or no permission. */
  | "storage";

/** A model is unavailable. The message is for the operator and says what to do. */
export class ModelError extends Error {
  /** Always `ModelError`. */
  override name = "ModelError";
  /** See {@linkcode ModelErrorCode}. */
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
