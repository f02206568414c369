/** Reason why a tokenizer cannot be created. */
export type TokenizerErrorCode =
  /** A field of the options is missing, wrong or not supported. */
  | "options"
  /** The vocabulary is damaged or does not fit the options. */
  | "vocabulary";

/** A tokenizer cannot be created. The message names the field and the requirement. */
export class TokenizerError extends Error {
  /** Always `TokenizerError`. */
  override name = "TokenizerError";
  /** See {@linkcode TokenizerErrorCode}. */
  readonly code: TokenizerErrorCode;

  constructor(code: TokenizerErrorCode, message: string, options?: ErrorOptions) {
    super(`Cannot create the tokenizer: ${message}`, options);
    this.code = code;
  }
}
