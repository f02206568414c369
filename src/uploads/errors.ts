/** Why an upload call failed; callers decide by this, never by the message. */
export type UploadErrorKind =
  /** No such upload: it never existed, belongs to another caller, has ended or expired. */
  | "not_found"
  /** The input cannot be used as it is: bad base64, a bad name, an empty chunk. */
  | "invalid"
  /** More bytes than were declared, or than one upload may have. */
  | "too_large"
  /** As many uploads, or as many bytes in all uploads together, as there may be: try again later. */
  | "too_many"
  /** Something else is being done with the upload: try again. */
  | "busy"
  /** The server is stopping, and forgets all uploads. */
  | "stopping"
  /** Finished too early: chunks or bytes are missing. */
  | "incomplete"
  /** All bytes are there, but their SHA-256 is not the declared one. */
  | "mismatch"
  /** The disk that uploads are staged on is full. */
  | "storage_full"
  /** The call does not fit what has been received: a wrong offset, or chunks mixed with raw bytes. */
  | "conflict";

/** A failed upload call. The message goes to the model or person that caused it; `cause` is private. */
export class UploadError extends Error {
  /** Always `UploadError`. */
  override name = "UploadError";
  /** See {@linkcode UploadErrorKind}. */
  readonly kind: UploadErrorKind;
  /** Where a raw `PUT` must go on, in bytes, when that is what the call got wrong. */
  readonly resumeFrom: number | undefined;

  /** Makes an error whose `message` says what is wrong and what to do next, with nothing private in it. */
  constructor(
    kind: UploadErrorKind,
    message: string,
    options: { cause?: unknown; resumeFrom?: number | undefined } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.kind = kind;
    this.resumeFrom = options.resumeFrom;
  }
}
