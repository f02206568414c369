/** Why a file or folder cannot be read. */
export type FolderProblemCode =
  /** The operating system refuses to read it. */
  | "unreadable"
  /** A link has no target: nothing is there to be read. */
  | "broken_link"
  /** A link leads out of the folder. */
  | "outside_source"
  /** A named pipe, socket or device. */
  | "not_a_file"
  /** Its name is not valid Unicode, has control characters or a backslash, or its path is too long. */
  | "invalid_name"
  /** The folder exceeds a limit of {@linkcode WalkOptions}. */
  | "too_many_files";

/** A file or folder that a walk has left out. */
export interface FolderProblem {
  /** Path relative to the root. Empty for the root itself. */
  readonly path: string;
  /** Machine-readable reason. */
  readonly code: FolderProblemCode;
  /** Reason, for the owner of the file. */
  readonly error: string;
  /** Whether the files below the path are unknown, so that their absence means nothing. */
  readonly isFolder: boolean;
}

/** Error of a path inside a folder. The message is for the owner of the folder. */
export class FolderError extends Error {
  /** Always `FolderError`. */
  override name = "FolderError";
  /** Machine-readable reason. */
  readonly code: FolderProblemCode | "not_found";

  /** The message has the relative path and no other. */
  constructor(code: FolderError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
