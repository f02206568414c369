/** Exit status for invalid arguments or settings (`EX_USAGE` of BSD `sysexits.h`). */
export const EX_USAGE = 64;

/** Exit status for data that is damaged or missing (`EX_DATAERR`). */
export const EX_DATAERR = 65;

/** Exit status for an engine or server that cannot be reached (`EX_UNAVAILABLE`). */
export const EX_UNAVAILABLE = 69;

/** Exit status for a command that failed for some of its files or documents. */
export const EXIT_PARTLY = 2;

/** Exit status when the reader of standard output has closed it: that of a program stopped by SIGPIPE. */
export const EXIT_PIPE = 141;

/** Ends the program with a message for the operator and an exit status. */
export class ExitError extends Error {
  override name = "ExitError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
